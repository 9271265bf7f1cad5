/** The client's wallets of the other families, each with the library of its users, against a host on local chains. */
import { assert, describe, it } from "@effect/vitest"
import { createKeyPairSignerFromPrivateKeyBytes } from "@solana/kit"
import { Effect, Result } from "effect"
import { readFileSync } from "node:fs"
import { bitcoinChainId, bitcoinSlug } from "../../hosts/localnet/nodes/bitcoin/BitcoinChain.ts"
import { usdc } from "../../hosts/localnet/nodes/solana/Mints.ts"
import { gem } from "../../hosts/localnet/nodes/solana/pools/Pools.ts"
import { solanaChainId, solanaSlug } from "../../hosts/localnet/nodes/solana/SolanaChain.ts"
import { TRON_CHAIN_ID } from "../../hosts/localnet/nodes/tron/node/ChainNumber.ts"
import { tronSlug } from "../../hosts/localnet/nodes/tron/TronChain.ts"
import { bitcoinWallet } from "../../hosts/transfer/client/bitcoin/index.ts"
import { createClient } from "../../hosts/transfer/client/index.ts"
import type { Wallet } from "../../hosts/transfer/client/index.ts"
import { solanaWallet } from "../../hosts/transfer/client/solana/index.ts"
import { tronWallet } from "../../hosts/transfer/client/tron/index.ts"
import { knownChains, quoteVerifier } from "../../hosts/transfer/client/verify/index.ts"
import type { QuoteBounds } from "../../hosts/transfer/client/verify/index.ts"
import { BTC, FINAL_AFTER, startBitcoinNetwork } from "../../hosts/transfer/testing/BitcoinNetwork.ts"
import { startFixture } from "../../hosts/transfer/testing/Fixture.ts"
import { SOL, startSolanaNetwork } from "../../hosts/transfer/testing/SolanaNetwork.ts"
import { ETH, held } from "../../hosts/transfer/testing/Tokens.ts"
import type { TestChains } from "../../hosts/transfer/testing/TestChains.ts"
import { startTronNetwork, TRX } from "../../hosts/transfer/testing/TronNetwork.ts"
import { Hex32 } from "../../src/domain/encoding/Hex.ts"
import { accountOfKey } from "../../src/domain/encoding/Signature.ts"

const file = new URL("../../configs/chains.local.json", import.meta.url)
const chainsFile: unknown = JSON.parse(readFileSync(file, "utf8"))

interface Origin {
  readonly slug: string
  readonly chainId: number
  readonly currency: string
  readonly amount: string
  readonly user: string
  readonly wallet: Wallet
  /** What the user's deposit waits for: blocks of a chain that stands still. */
  readonly onSent?: () => void
  /** Of the chains file. */
  readonly variables?: Readonly<Record<string, string>>
  /** What the client leaves to the chain's own check before it is sent. */
  readonly mayBeUnchecked?: ReadonlyArray<string>
  readonly bounds?: QuoteBounds
}

interface Running {
  readonly chains: TestChains
  readonly fresh: () => `0x${string}`
  readonly url: string
}

const verifying = ({ chains, url }: Running, { bounds = {}, mayBeUnchecked = [], slug, variables = {} }: Origin) =>
  createClient({
    url,
    verify: quoteVerifier({
      bounds: () => bounds,
      mayBeUnchecked,
      known: knownChains(chainsFile, { served: ["alpha", "beta", slug], variables }),
      solver: Result.getOrThrow(accountOfKey(Hex32.make(chains.solverKey)))
    })
  })

/** From this chain to ether on alpha, verified and to the unit. */
const moves = Effect.fnUntraced(function*(running: Running, origin: Origin) {
  const { amount, chainId, currency, onSent, user, wallet } = origin
  const { chains, fresh } = running
  const client = verifying(running, origin)
  const recipient = fresh()
  const quote = yield* Effect.promise(() =>
    client.getQuote({
      user,
      recipient,
      originChainId: chainId,
      originCurrency: currency,
      destinationChainId: chains.alpha.chainId,
      destinationCurrency: ETH.address,
      amount,
      tradeType: "EXACT_INPUT"
    })
  )
  const ended = yield* Effect.promise(() => client.execute(quote, wallet, { onSent: () => onSent?.() }))
  assert.strictEqual(ended.status, "success")
  assert.strictEqual(yield* held(chains.alpha, ETH, recipient), BigInt(quote.details.currencyOut.amount))
})

describe("the client's wallets", () => {
  it.live("of Solana, by a signer of kit, also where the deposit is swapped first", () =>
    Effect.gen(function*() {
      const running = yield* startFixture(startSolanaNetwork())
      const [user] = running.solanaUsers
      const signer = yield* Effect.promise(() =>
        createKeyPairSignerFromPrivateKeyBytes(user?.seed ?? assert.fail("no user"))
      )
      const wallet = solanaWallet({ signer, rpcUrl: running.solana.url, pollEvery: 50 })
      const origin = {
        slug: solanaSlug,
        chainId: solanaChainId,
        user: signer.address,
        variables: running.environment,
        wallet
      }
      yield* moves(running, { ...origin, currency: SOL, amount: "1000000000" })
      // What a router does with its accounts is the node's to say: the signer's transaction is simulated before it is sent.
      const bought = {
        ...origin,
        currency: gem.address,
        amount: "20000000000",
        bounds: { minimumDeposit: 39_000_000n },
        mayBeUnchecked: ["deposit 0 swap"]
      }
      // The user buys the currency that it pays with: the solver does not take it.
      const client = verifying(running, { ...bought, mayBeUnchecked: ["swap 0 route"] })
      const purchase = yield* Effect.promise(async () => {
        const quote = await client.getQuote({
          user: signer.address,
          originChainId: solanaChainId,
          originCurrency: usdc.address,
          destinationChainId: solanaChainId,
          destinationCurrency: gem.address,
          amount: "300000000",
          tradeType: "EXACT_INPUT",
          overridePriceImpact: true
        })
        return client.execute(quote, wallet)
      })
      assert.strictEqual(purchase.status, "success")
      yield* moves(running, bought)
    }).pipe(Effect.scoped), 120_000)

  it.live("of Tron, by tronweb", () =>
    Effect.gen(function*() {
      const running = yield* startFixture(startTronNetwork)
      const { tron, wallet } = running
      yield* moves(running, {
        slug: tronSlug,
        chainId: TRON_CHAIN_ID,
        currency: TRX,
        amount: "100000000",
        user: wallet.key.address,
        wallet: tronWallet({ trx: wallet.client.trx, nodeUrl: tron.url, pollEvery: 50 }),
        onSent: () => void Effect.runFork(tron.mine())
      })
    }).pipe(Effect.scoped), 120_000)

  it.live("of Bitcoin, by bitcoinjs-lib", () =>
    Effect.gen(function*() {
      const running = yield* startFixture(startBitcoinNetwork)
      const { bitcoin } = running
      const user = yield* running.wallet("P2WPKH", 50_000_000n)
      const signPsbt = (psbt: string) => Promise.resolve(user.signed(psbt).toHex())
      yield* moves(running, {
        slug: bitcoinSlug,
        chainId: bitcoinChainId,
        currency: BTC,
        amount: "10000000",
        user: user.address,
        wallet: bitcoinWallet({ signPsbt, explorerUrl: bitcoin.explorerUrl, pollEvery: 50 }),
        onSent: () => void Effect.runFork(bitcoin.mine(FINAL_AFTER))
      })
    }).pipe(Effect.scoped), 120_000)
})

/**
 * Transfers between Tron and the other families that are no EVM: TRX and USDT to and from Bitcoin and Solana, each
 * client with its own unmodified library, to the unit, and every deposit settled on the hub by a real oracle.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import { randomBytes } from "node:crypto"
import { toHex } from "viem"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { shows } from "../../../../scripts/testing/Shows.ts"
import { ChainSlug } from "../../../../src/domain/chain/ChainId.ts"
import { families } from "../../../../src/domain/families/index.ts"
import { alias } from "../../../../src/domain/hub/Alias.ts"
import type { ChainRef } from "../../../../src/domain/hub/ChainRef.ts"
import { hubTokenId } from "../../../../src/domain/hub/HubTokenId.ts"
import { bitcoinChainId, bitcoinSlug } from "../../../localnet/nodes/bitcoin/BitcoinChain.ts"
import { keyOf as bitcoinKeyOf } from "../../../localnet/nodes/bitcoin/node/LocalKey.ts"
import { tokenAccount } from "../../../localnet/nodes/solana/DepositoryProgram.ts"
import { usdc } from "../../../localnet/nodes/solana/Mints.ts"
import { solanaChainId, solanaSlug } from "../../../localnet/nodes/solana/SolanaChain.ts"
import { keyOfSeed } from "../../../localnet/nodes/solana/node/LocalKey.ts"
import { usdt } from "../../../localnet/nodes/tron/Deposits.ts"
import { TRON_CHAIN_ID } from "../../../localnet/nodes/tron/node/ChainNumber.ts"
import type { Wallet } from "../../../localnet/nodes/tron/node/Wallet.ts"
import { tronSlug } from "../../../localnet/nodes/tron/TronChain.ts"
import { deposited, fromBitcoin, quoteBitcoin } from "../../testing/BitcoinClient.ts"
import { bitcoinOver, BTC } from "../../testing/BitcoinNetwork.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { settledRequest } from "../../testing/Settlements.ts"
import { settlingOver } from "../../testing/SettlingNetwork.ts"
import {
  endedAnywhere,
  fromSolana,
  quoteSolana,
  sendSolana,
  solanaBalances,
  stepOf
} from "../../testing/SolanaClient.ts"
import { SOL, solanaOver } from "../../testing/SolanaNetwork.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"
import { carriedOut, fromTron, quoteTron } from "../../testing/TronClient.ts"
import { newTronAddress, tronOver, TRX } from "../../testing/TronNetwork.ts"

/** Blocks of Bitcoin and Tron come on command. */
const startFamilies = Effect.gen(function*() {
  const evm = yield* startNetwork
  const onBitcoin = yield* bitcoinOver(evm)
  const onSolana = yield* solanaOver({ ...evm, environment: onBitcoin.environment })
  const network = yield* tronOver({ ...evm, environment: onSolana.environment })
  return { ...(yield* settlingOver(network, 1, 1)), onBitcoin, onSolana }
})

class Running extends fixtureOf<Running>()(
  "test/TronPairs",
  startFixture(startFamilies, { settings: ({ settling }) => settling })
) {}

const ONE = 1_000_000n
const SATOSHI = 100_000n
const LAMPORTS = 500_000_000n

const betaRef = { slug: ChainSlug.make("beta"), family: families["ethereum-vm"], network: "mainnet" } as const
const refs = {
  tron: { slug: ChainSlug.make(tronSlug), family: families["tron-vm"], network: "mainnet" },
  bitcoin: { slug: ChainSlug.make(bitcoinSlug), family: families["bitcoin-vm"], network: "regtest" },
  solana: { slug: ChainSlug.make(solanaSlug), family: families["solana-vm"], network: "mainnet" }
} as const satisfies Readonly<Record<string, ChainRef>>

/** What is deposited, of which the solver has more on the hub afterwards. */
const origins = [
  [refs.tron, TRX, 200n * ONE],
  [refs.tron, usdt, 50n * ONE],
  [refs.bitcoin, BTC, 2n * SATOSHI],
  [refs.solana, SOL, 2n * LAMPORTS]
] as const

/** The solver's units of each of them on the hub. */
const onHub = Effect.gen(function*() {
  const { chains, held } = yield* Running
  const account = toHex(BigInt(Result.getOrThrow(alias(betaRef, chains.solver.toLowerCase()))), { size: 20 })
  return yield* Effect.forEach(
    origins,
    ([ref, currency]) => held(account, Result.getOrThrow(hubTokenId(ref, currency)))
  )
})

/** An account that nobody has used, and what it holds there. */
interface Payee {
  readonly to: readonly [chainId: number, currency: string]
  readonly recipient: string
  readonly held: Effect.Effect<bigint>
}

const newOnBitcoin = Effect.map(Running, ({ onBitcoin }): Payee => {
  const recipient = bitcoinKeyOf(new Uint8Array(randomBytes(32))).address
  return { to: [bitcoinChainId, BTC], recipient, held: Effect.sync(() => onBitcoin.heldOnBitcoin(recipient)) }
})

const newOnSolana = (currency: string) =>
  Effect.gen(function*() {
    const { onSolana: { solana } } = yield* Running
    const recipient = keyOfSeed(new Uint8Array(randomBytes(32))).address
    const account = yield* Effect.promise(() => tokenAccount(recipient, usdc.address, usdc.program))
    const held = Effect.map(
      solanaBalances(solana.url, recipient, account),
      ({ lamports, tokens }) => currency === SOL ? lamports : tokens
    )
    return { to: [solanaChainId, currency], recipient, held } satisfies Payee
  })

const newOnTron = (currency: string) =>
  Effect.map(Running, ({ heldOnTron }): Payee => {
    const recipient = newTronAddress()
    return { to: [TRON_CHAIN_ID, currency], recipient, held: heldOnTron(currency, recipient) }
  })

/** By the unmodified tronweb. */
const payOnTron = Effect.fnUntraced(
  function*(wallet: Wallet, [currency, amount]: readonly [string, bigint], { recipient, to }: Payee) {
    const { url } = yield* Running
    const quoted = yield* quoteTron(url, fromTron(wallet, recipient, to, [currency, amount]))
    yield* carriedOut(wallet, quoted)
    return quoted
  }
)

/** By the unmodified bitcoinjs-lib. */
const payOnBitcoin = Effect.fnUntraced(function*({ recipient, to }: Payee) {
  const { onBitcoin: { bitcoin, wallet }, url } = yield* Running
  const user = yield* wallet("P2WPKH", 3n * SATOSHI)
  const quoted = yield* quoteBitcoin(url, fromBitcoin(user, recipient, to, SATOSHI))
  yield* deposited(bitcoin, user, quoted)
  return quoted
})

/** By the unmodified @solana/kit. */
const payOnSolana = Effect.fnUntraced(function*(index: number, { recipient, to: [chainId, currency] }: Payee) {
  const { onSolana: { partyOf, solana }, url } = yield* Running
  const { solanaUser } = partyOf(index)
  const quoted = yield* quoteSolana(
    url,
    fromSolana(solanaUser.address, recipient, SOL, currency, chainId, LAMPORTS)
  )
  yield* sendSolana(solana.url, [solanaUser], stepOf(quoted))
  return quoted
})

layer(Running.layer, { excludeTestServices: true })("transfers between Tron, Bitcoin and Solana", (it) => {
  it.effect(
    "are filled to the unit in every direction, in TRX and in USDT, and settle on the hub",
    () =>
      Effect.gen(function*() {
        const { onBitcoin: { bitcoin }, other, tron, url, wallet, whileMining } = yield* Running
        const before = yield* onHub
        const begin = <E, R>(
          payee: Effect.Effect<Payee, never, Running>,
          pay: (payee: Payee) => Effect.Effect<
            {
              readonly steps: ReadonlyArray<{ readonly requestId: string }>
              readonly details: { readonly currencyOut: { readonly amount: string } }
            },
            E,
            R
          >
        ) => Effect.flatMap(payee, (each) => Effect.map(pay(each), (quoted) => ({ ...each, quoted })))
        // One after the other: each approval of USDT is used before the next.
        const made = yield* Effect.all([
          begin(newOnBitcoin, (payee) => payOnTron(wallet, [TRX, 100n * ONE], payee)),
          begin(newOnSolana(SOL), (payee) => payOnTron(other, [TRX, 100n * ONE], payee)),
          begin(newOnBitcoin, (payee) => payOnTron(wallet, [usdt, 25n * ONE], payee)),
          begin(newOnSolana(usdc.address), (payee) => payOnTron(other, [usdt, 25n * ONE], payee)),
          begin(newOnTron(TRX), payOnBitcoin),
          begin(newOnTron(usdt), payOnBitcoin),
          begin(newOnTron(TRX), (payee) => payOnSolana(0, payee)),
          begin(newOnTron(usdt), (payee) => payOnSolana(1, payee))
        ])
        yield* tron.mine()
        const ends = yield* Effect.raceFirst(
          whileMining(Effect.forEach(made, ({ quoted }) =>
            Effect.gen(function*() {
              const ended = yield* endedAnywhere(url, quoted)
              yield* settledRequest(url, quoted)
              return ended.status
            }), { concurrency: "unbounded" })),
          Effect.forever(Effect.delay(bitcoin.mine(), "500 millis"))
        )
        assert.deepStrictEqual(ends, made.map(() => "success"))
        for (const { held, quoted, to } of made) {
          assert.strictEqual(`${yield* held}`, quoted.details.currencyOut.amount, to.join())
        }
        const after = yield* onHub
        assert.deepStrictEqual(
          after.map((units, index) => units - (before[index] ?? 0n)),
          origins.map(([, , amount]) => amount)
        )
      }),
    shows("tron-vm", "transfers from", "transfers to")
  )
})

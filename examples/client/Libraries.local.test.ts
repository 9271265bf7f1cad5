/**
 * What docs/integrate.md shows for the other families, each against a host on local chains: the public SDK with its own
 * adapter, unmodified, and the family's library alone.
 */
import { assert, describe, it } from "@effect/vitest"
import { adaptBitcoinWallet } from "@relayprotocol/relay-bitcoin-wallet-adapter"
import { axios } from "@relayprotocol/relay-sdk"
import { adaptSolanaWallet } from "@relayprotocol/relay-svm-wallet-adapter"
import { adaptTronWallet } from "@relayprotocol/relay-tron-wallet-adapter"
import { createKeyPairSignerFromPrivateKeyBytes } from "@solana/kit"
import { Connection, Keypair } from "@solana/web3.js"
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { getPublicKey, hashes, sign } from "@noble/secp256k1"
import { networks } from "bitcoinjs-lib"
import { Effect, Schedule } from "effect"
import { randomBytes } from "node:crypto"
import { sendOnBitcoin } from "./bitcoin.ts"
import type { BitcoinData } from "./bitcoin.ts"
import { transferBySdk } from "./sdk.ts"
import { sendOnSolana } from "./solana.ts"
import type { SolanaData } from "./solana.ts"
import { sendOnTron } from "./tron.ts"
import type { TronData } from "./tron.ts"
import { bitcoinChainId } from "../../hosts/localnet/nodes/bitcoin/BitcoinChain.ts"
import { tokenAccount } from "../../hosts/localnet/nodes/solana/DepositoryProgram.ts"
import { usdc } from "../../hosts/localnet/nodes/solana/Mints.ts"
import { holding } from "../../hosts/localnet/nodes/solana/node/TokenAccount.ts"
import { gem, lookupTable } from "../../hosts/localnet/nodes/solana/pools/Pools.ts"
import { tablesIn } from "../../hosts/localnet/nodes/solana/testing/RouteOf.ts"
import { solanaChainId } from "../../hosts/localnet/nodes/solana/SolanaChain.ts"
import { depository, usdt } from "../../hosts/localnet/nodes/tron/Deposits.ts"
import { TRON_CHAIN_ID } from "../../hosts/localnet/nodes/tron/node/ChainNumber.ts"
import { BTC, startBitcoinNetwork } from "../../hosts/transfer/testing/BitcoinNetwork.ts"
import { post } from "../../hosts/transfer/testing/Client.ts"
import { startFixture } from "../../hosts/transfer/testing/Fixture.ts"
import { get } from "../../hosts/transfer/testing/Get.ts"
import { SOL, startSolanaNetwork } from "../../hosts/transfer/testing/SolanaNetwork.ts"
import { ETH, held } from "../../hosts/transfer/testing/Tokens.ts"
import type { TestChains } from "../../hosts/transfer/testing/TestChains.ts"
import { startTronNetwork, TRX } from "../../hosts/transfer/testing/TronNetwork.ts"
import { walletsOn } from "../../src/domain/families/bitcoin/steps/testing/Wallets.ts"

hashes.sha256 = sha256
hashes.hmacSha256 = (key, message) => hmac(sha256, key, message)

interface Amount {
  readonly amount: string
}

interface Running {
  readonly chains: TestChains
  readonly fresh: () => `0x${string}`
  readonly url: string
}

const stateOf = (url: string, requestId: string | undefined) =>
  Effect.map(
    get(`${url}/intents/status?requestId=${requestId}`),
    (answer) => (answer.json() as { readonly status: string }).status
  )

const ended = (url: string, requestId: string | undefined) =>
  stateOf(url, requestId).pipe(
    Effect.repeat({
      until: (status) => ["success", "refund", "failure"].includes(status),
      schedule: Schedule.spaced("100 millis")
    })
  )

/** To ether on alpha, for a new account. */
const endsOf = ({ chains, fresh }: Running, chainId: number, currency: string, amount: string) => ({
  chainId,
  currency,
  amount,
  toChainId: chains.alpha.chainId,
  toCurrency: ETH.address,
  recipient: fresh()
})

const arrived = Effect.fnUntraced(function*(running: Running, recipient: string, requestId: string | undefined) {
  assert.strictEqual(yield* ended(running.url, requestId), "success")
  assert.isTrue((yield* held(running.chains.alpha, ETH, recipient as `0x${string}`)) > 0n)
})

/** What the request was quoted to deliver, smallest units. */
const quotedBy = (url: string, requestId: string | undefined) =>
  Effect.map(get(`${url}/requests?id=${requestId}`), (answer) => {
    const { requests: [found] } = answer.json() as {
      readonly requests: ReadonlyArray<{ readonly data: { readonly metadata: { readonly currencyOut: Amount } } }>
    }
    return BigInt(found?.data.metadata.currencyOut.amount ?? -1)
  })

/** The same without the SDK: the quote, the library, and the status. */
const byLibrary = Effect.fnUntraced(function*(
  running: Running,
  user: string,
  ends: ReturnType<typeof endsOf>,
  send: (data: unknown) => Promise<string>
) {
  const answer = yield* post(`${running.url}/quote`, {
    user,
    recipient: ends.recipient,
    originChainId: ends.chainId,
    originCurrency: ends.currency,
    destinationChainId: ends.toChainId,
    destinationCurrency: ends.toCurrency,
    amount: ends.amount,
    tradeType: "EXACT_INPUT"
  })
  assert.strictEqual(answer.status, 200, answer.text)
  const { steps } = answer.json() as {
    readonly steps: ReadonlyArray<
      { readonly requestId: string; readonly items: ReadonlyArray<{ readonly data: unknown }> }
    >
  }
  for (const { data } of steps.flatMap(({ items }) => items)) yield* Effect.promise(() => send(data))
  yield* arrived(running, ends.recipient, steps[0]?.requestId)
  return steps[0]?.requestId
})

describe("docs/integrate.md", () => {
  it.live("on Solana: the SDK by its adapter, and @solana/kit", () =>
    Effect.gen(function*() {
      const running = yield* startFixture(startSolanaNetwork())
      const [user] = running.solanaUsers
      const seed = user?.seed ?? assert.fail("no user")
      const keypair = Keypair.fromSeed(seed)
      const connection = new Connection(running.solana.url, "confirmed")
      // The local node has no socket, so the SDK polls. The library would try to connect for ever.
      const { _rpcWebSocket: socket } = connection as unknown as { _rpcWebSocket: { reconnect: boolean } }
      socket.reconnect = false
      const wallet = adaptSolanaWallet(
        keypair.publicKey.toBase58(),
        solanaChainId,
        connection,
        async (transaction) => {
          transaction.sign([keypair])
          return { signature: await connection.sendTransaction(transaction) }
        }
      )
      const ends = endsOf(running, solanaChainId, SOL, "1000000000")
      const id = yield* Effect.promise(() => transferBySdk(running.url, wallet, ends))
      yield* arrived(running, ends.recipient, id)
      const signer = yield* Effect.promise(() => createKeyPairSignerFromPrivateKeyBytes(seed))
      yield* byLibrary(
        running,
        signer.address,
        endsOf(running, solanaChainId, SOL, "1000000000"),
        (data) => sendOnSolana(running.solana.url, signer, data as SolanaData)
      )
    }).pipe(Effect.scoped))

  it.live("on Solana: @solana/kit buys GEM of the pools, and sells it for ether in the transaction that deposits", () =>
    Effect.gen(function*() {
      const running = yield* startFixture(startSolanaNetwork())
      const { solana, solanaUsers: [user], url } = running
      const seed = user?.seed ?? assert.fail("no user")
      const signer = yield* Effect.promise(() => createKeyPairSignerFromPrivateKeyBytes(seed))
      const account = yield* Effect.promise(() => tokenAccount(signer.address, gem.address, gem.program))
      const gems = Effect.sync(() => holding(solana.chain.read(account, "confirmed"))?.amount ?? 0n)
      const sent: Array<string> = []
      const send = async (data: unknown) => {
        const id = await sendOnSolana(solana.url, signer, data as SolanaData)
        sent.push(id)
        return id
      }
      const answer = yield* post(`${url}/quote`, {
        user: signer.address,
        originChainId: solanaChainId,
        originCurrency: usdc.address,
        destinationChainId: solanaChainId,
        destinationCurrency: gem.address,
        amount: "100000000",
        tradeType: "EXACT_INPUT"
      })
      const { details, steps: [step] } = answer.json() as {
        readonly details: { readonly currencyOut: Amount }
        readonly steps: ReadonlyArray<
          { readonly requestId: string; readonly items: ReadonlyArray<{ readonly data: unknown }> }
        >
      }
      yield* Effect.promise(() => send(step?.items[0]?.data))
      assert.strictEqual(yield* ended(url, step?.requestId), "success")
      assert.strictEqual(`${yield* gems}`, details.currencyOut.amount)
      const ends = endsOf(running, solanaChainId, gem.address, "20000000000")
      const id = yield* byLibrary(running, signer.address, ends, send)
      assert.strictEqual(yield* held(running.chains.alpha, ETH, ends.recipient), yield* quotedBy(url, id))
      assert.strictEqual(BigInt(details.currencyOut.amount) - (yield* gems), 20_000_000_000n)
      // Both name the lookup table of their route.
      for (const transaction of sent) {
        const { wire } = solana.chain.ledger.transaction(transaction) ?? assert.fail("not on the chain")
        assert.deepStrictEqual(tablesIn(wire), [lookupTable])
      }
    }).pipe(Effect.scoped))

  it.live("on Tron: the SDK by its adapter, and tronweb, of TRX and of USDT that needs an approval first", () =>
    Effect.gen(function*() {
      const running = yield* startFixture(startTronNetwork)
      const { heldOnTron, whileMining } = running
      const { key: { address }, client } = running.wallet
      // The adapter knows the public chain's number, and a local chain has its own.
      const wallet = { ...adaptTronWallet(address, client), getChainId: () => Promise.resolve(TRON_CHAIN_ID) }
      for (const currency of [TRX, usdt]) {
        const ends = () => endsOf(running, TRON_CHAIN_ID, currency, "100000000")
        const paid = Effect.fnUntraced(function*<E, R>(
          ends: ReturnType<typeof endsOf>,
          carriedOut: Effect.Effect<string | undefined, E, R>
        ) {
          const [had, before] = [yield* heldOnTron(currency, depository), yield* heldOnTron(currency, address)]
          const id = yield* whileMining(carriedOut)
          assert.strictEqual(
            yield* held(running.chains.alpha, ETH, ends.recipient),
            yield* quotedBy(running.url, id)
          )
          const spent = before - (yield* heldOnTron(currency, address))
          assert.strictEqual((yield* heldOnTron(currency, depository)) - had, 100_000_000n)
          // TRX burn as well.
          assert.isTrue(currency === TRX ? spent > 100_000_000n : spent === 100_000_000n, `${spent}`)
        })
        const [bySdk, byTronweb] = [ends(), ends()]
        yield* paid(
          bySdk,
          Effect.gen(function*() {
            const id = yield* Effect.promise(() => transferBySdk(running.url, wallet, bySdk))
            yield* arrived(running, bySdk.recipient, id)
            return id
          })
        )
        yield* paid(byTronweb, byLibrary(running, address, byTronweb, (data) => sendOnTron(client, data as TronData)))
      }
    }).pipe(Effect.scoped))

  it.live("on Bitcoin: the SDK by its adapter, and bitcoinjs-lib", () =>
    Effect.gen(function*() {
      const running = yield* startFixture(startBitcoinNetwork)
      const { bitcoin, give } = running
      const secret = new Uint8Array(randomBytes(32))
      const user = walletsOn(networks.regtest, secret).find(({ kind }) => kind === "P2WPKH") ?? assert.fail("no wallet")
      yield* give(user.script, 50_000_000n)
      yield* give(user.script, 50_000_000n)
      const publicKey = Uint8Array.from(getPublicKey(secret, true))
      const signer = { publicKey, sign: (hash: Uint8Array) => sign(hash, secret, { prehash: false }) }
      const adapted = adaptBitcoinWallet(user.address, (_, psbt) => {
        psbt.signAllInputs(signer)
        return Promise.resolve(psbt.toBase64())
      })
      // The adapter broadcasts on the public chain's explorer, and waits for nothing there.
      const redirect = axios.interceptors.request.use((config) => ({
        ...config,
        ...(config.url === undefined
          ? {}
          : { url: config.url.replace("https://mempool.space/api", bitcoin.explorerUrl) })
      }))
      yield* Effect.addFinalizer(() => Effect.sync(() => axios.interceptors.request.eject(redirect)))
      const wallet = {
        ...adapted,
        getChainId: () => Promise.resolve(bitcoinChainId),
        handleConfirmTransactionStep: () => new Promise<never>(() => {})
      }
      const ends = endsOf(running, bitcoinChainId, BTC, "10000000")
      const both = Effect.gen(function*() {
        const id = yield* Effect.promise(() => transferBySdk(running.url, wallet, ends))
        yield* arrived(running, ends.recipient, id)
        yield* byLibrary(
          running,
          user.address,
          endsOf(running, bitcoinChainId, BTC, "10000000"),
          (data) => sendOnBitcoin(bitcoin.explorerUrl, signer, data as BitcoinData)
        )
      })
      yield* Effect.raceFirst(both, Effect.forever(Effect.delay(bitcoin.mine(1), "300 millis")))
    }).pipe(Effect.scoped))
})

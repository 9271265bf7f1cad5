/**
 * A stage for Bitcoin: the local chain behind three nodes and an explorer, each of which can fail or lie, a hub with its gate,
 * and an oracle from environment variables alone. Blocks come by command.
 */
import { Transaction } from "bitcoinjs-lib"
import { Effect, Result, Schema } from "effect"
import { encodeFunctionData } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { abi as hubAbi } from "../../../adapters/ethereum/contracts/abi/Hub.ts"
import { abi as gateAbi } from "../../../adapters/ethereum/contracts/abi/OracleGate.ts"
import { viemHex } from "../../../adapters/ethereum/ViemHex.ts"
import { ChainSlug } from "../../../src/domain/chain/ChainId.ts"
import { hexToBytes } from "../../../src/domain/chain/Hex.ts"
import { Order } from "../../../src/domain/order/Order.ts"
import { orderId } from "../../../src/domain/order/OrderId.ts"
import { alias } from "../../../src/domain/settlement/Alias.ts"
import { hubTokenId } from "../../../src/domain/settlement/HubTokenId.ts"
import { addressCodec } from "../../../src/domain/chain/Address.ts"
import { hubAddressOf } from "../../localnet/Addresses.ts"
import { Anvil } from "../../localnet/chains/Anvil.ts"
import type { BitcoinOptions, Fault } from "../../localnet/chains/Bitcoin.ts"
import { Bitcoin } from "../../localnet/chains/Bitcoin.ts"
import type { BitcoinKey } from "../../localnet/chains/bitcoin/LocalKey.ts"
import { keyOfName } from "../../localnet/chains/bitcoin/LocalKey.ts"
import type { Paid, Spent } from "../../localnet/chains/bitcoin/Payment.ts"
import { signed } from "../../localnet/chains/bitcoin/Payment.ts"
import { serve } from "../../localnet/chains/bitcoin/rpc/Server.ts"
import { anyFree } from "../../localnet/chains/Port.ts"
import { deployHub } from "../../localnet/Deployment.ts"
import { generate } from "../../localnet/Keys.ts"
import { partiesOf } from "../../localnet/Network.ts"
import { chainIdOf } from "../../localnet/Slug.ts"
import { post, reader, sendCall } from "../../transfer/testing/Client.ts"
import { startInstance } from "./OracleInstance.ts"

export const BTC = "bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqmql8k8"
export const bitcoinRef = { slug: ChainSlug.make("bitcoin-local"), family: "bitcoin-vm", network: "regtest" } as const
/** Blocks on top of one that is final. */
export const FINAL_AFTER = 6
export const COIN = 10_000_000n
export const FEE = 1_000n

const HexText = Schema.TemplateLiteral(["0x", Schema.String])
const Execution = Schema.Struct({ idempotencyKey: HexText, actions: Schema.Array(HexText), signatures: Schema.Array(Schema.Struct({ signature: HexText })) })
const DepositResult = Schema.Struct({
  onchainId: Schema.String, depository: Schema.String, depositId: Schema.String, depositor: Schema.String, currency: Schema.String, amount: Schema.String
})
const Answer = Schema.Struct({
  message: Schema.optionalKey(Schema.Union([Schema.String, Schema.Struct({ result: Schema.Record(Schema.String, Schema.Json) })])),
  messages: Schema.optionalKey(Schema.Array(Schema.Struct({ result: DepositResult, extraData: Schema.Struct({ timestamp: Schema.Int }) }))),
  execution: Schema.optionalKey(Execution),
  reason: Schema.optionalKey(Schema.String),
  retryable: Schema.optionalKey(Schema.Boolean),
  confirmations: Schema.optionalKey(Schema.Int),
  needed: Schema.optionalKey(Schema.Int)
})

/** What was answered, and with which status of HTTP. */
export type Answered = typeof Answer.Type & { readonly http: number }

const keyNamed = (name: string): BitcoinKey => keyOfName(`causeway.test.bitcoin.${name}`)

export const startBitcoinStage = Effect.fnUntraced(function*(access: NonNullable<BitcoinOptions["access"]>, explorer: Readonly<Record<string, string>>) {
  const [user, other, solver] = [keyNamed("user"), keyNamed("other"), keyNamed("solver")]
  const depository = keyOfName("causeway.local.bitcoin.depository")
  const keys = yield* generate
  const parties = partiesOf(keys)
  const [bitcoin, hub] = yield* Effect.all([Bitcoin.start({ access }), Anvil.start({ chainId: chainIdOf.hub, accounts: 0 })], { concurrency: 2 })
  yield* deployHub(hub, parties)
  const { chain } = bitcoin
  const faults: Array<Fault | undefined> = [undefined, undefined, undefined]
  const urls = yield* Effect.forEach([0, 1, 2], (at) =>
    Effect.gen(function*() {
      const port = yield* anyFree
      yield* serve(chain, port, { node: () => faults[at], explorer: () => undefined }, { kind: "key", key: generatePrivateKey() })
      return `http://127.0.0.1:${port}`
    }))
  const environment = {
    ENVIRONMENT: "local",
    CHAINS: "alpha,bitcoin-local",
    ALPHA_RPC_URL: "http://127.0.0.1:9",
    BITCOIN_RPC_URL: urls.join(","),
    BITCOIN_ESPLORA_COMPATIBLE_API_URL: bitcoin.explorerUrl,
    BITCOIN_EXPLORER_TOKEN_URL: bitcoin.tokenUrl,
    ...explorer,
    HUB_RPC_URL: hub.url,
    HUB_ALLOCATOR: parties.allocator,
    ECDSA_PRIVATE_KEY: keys.oracle
  }
  const oracle = yield* startInstance(environment)

  /** What the nodes do wrong from now on, first to last; those that are not named tell the truth. */
  const misbehave = (...wrong: ReadonlyArray<Fault | undefined>) => Effect.sync(() => faults.forEach((_, at) => { faults[at] = wrong[at] }))

  /** A coin of that key's, in a block. */
  const coin = Effect.fnUntraced(function*(key: BitcoinKey, value: bigint = COIN) {
    const { id, index } = yield* Effect.promise(() => chain.fund(key.script, value))
    yield* bitcoin.mine()
    return { id, index, value, key } satisfies Spent
  })
  /** Spends coins for outputs, and what is left but for the fee for their first owner; the id, in no block yet. */
  const send = (inputs: ReadonlyArray<Spent>, outputs: ReadonlyArray<Paid>, fee = FEE) =>
    Effect.promise(() => {
      const left = inputs.reduce((sum, { value }) => sum + value, 0n) - outputs.reduce((sum, { amount }) => sum + amount, 0n) - fee
      const [first] = inputs
      return chain.submit(signed({ inputs, outputs: left > 546n && first !== undefined ? [...outputs, { script: first.key.script, amount: left }] : outputs }).toBuffer())
    })
  const finalize = bitcoin.mine(FINAL_AFTER + 1)
  /** The same with a coin of its own, final. */
  const done = Effect.fnUntraced(function*(key: BitcoinKey, ...outputs: ReadonlyArray<Paid>) {
    const id = yield* send([yield* coin(key)], outputs)
    yield* finalize
    return id
  })
  const into = (amount: bigint): Paid => ({ script: depository.script, amount })

  const evmSolver = privateKeyToAccount(generatePrivateKey())
  const familyOf = (slug: string) => slug === "bitcoin-local" ? "bitcoin-vm" as const : slug === "alpha" ? "ethereum-vm" as const : undefined

  /** A signed order from bitcoin to what is paid there; `changes` before it is signed. */
  const order = Effect.fnUntraced(function*(amount: bigint, payment: { readonly recipient: string; readonly amount: bigint }, changes: object = {}) {
    const deadline = chain.ledger.tip.block.timestamp + 360_000
    const encoded = {
      version: "v1",
      solverChainId: "alpha",
      solver: evmSolver.address.toLowerCase(),
      salt: generatePrivateKey(),
      inputs: [{
        payment: { chainId: "bitcoin-local", currency: BTC, amount: `${amount}`, weight: "1" },
        refunds: [{ chainId: "bitcoin-local", recipient: BTC, currency: BTC, minimumAmount: `${amount}`, deadline, extraData: "0x" }]
      }],
      output: {
        chainId: "bitcoin-local",
        payments: [{ recipient: payment.recipient, currency: BTC, minimumAmount: `${payment.amount}`, expectedAmount: `${payment.amount}` }],
        calls: [], deadline, extraData: "0x", ...changes
      },
      fees: []
    }
    const decoded = Schema.decodeUnknownSync(Order)(encoded)
    const id = Result.getOrThrow(orderId(decoded, familyOf, "regtest"))
    const orderSignature = yield* Effect.promise(() => evmSolver.signMessage({ message: { raw: hexToBytes(id) } }))
    return { id, order: encoded, orderSignature }
  })

  const ask = Effect.fnUntraced(function*(path: string, body: unknown, url = oracle.url) {
    const answer = yield* post(`${url}/attestations/${path}/v1`, body)
    return { ...Schema.decodeUnknownSync(Answer)(answer.json()), http: answer.status } satisfies Answered
  })
  const askDeposits = (transactionId: string, url?: string) => ask("depository-deposits", { chainId: "bitcoin-local", transactionId }, url)

  const submitterKey = keys.accounts[0] ?? "0x"
  /** The gate's answer; it reverts for what it refuses. */
  const submit = (execution: Answered["execution"]) =>
    Effect.promise(async () => {
      if (execution === undefined) return "no execution" as const
      const { actions, idempotencyKey, signatures } = execution
      const data = encodeFunctionData({ abi: gateAbi, functionName: "execute", args: [{ idempotencyKey, actions: [...actions] }, signatures.map(({ signature }) => signature)] })
      const refused = await reader(hub).call({ account: privateKeyToAccount(submitterKey).address, to: hubAddressOf("OracleGate"), data }).then(() => false, () => true)
      if (refused) return "refused" as const
      const { status } = await Effect.runPromise(sendCall(hub, submitterKey, { to: hubAddressOf("OracleGate"), data }))
      return status
    })
  const held = (account: string) =>
    Effect.promise(() => reader(hub).readContract({
      abi: hubAbi,
      address: hubAddressOf("Hub"),
      functionName: "balanceOf",
      args: [viemHex(account), Result.getOrThrow(hubTokenId(bitcoinRef, Result.getOrThrow(addressCodec("bitcoin-vm").parseCurrency(BTC))))]
    }))
  const aliasOf = (of: "bitcoin-local" | "alpha", account: string) =>
    Result.getOrThrow(alias(of === "bitcoin-local" ? bitcoinRef : { slug: ChainSlug.make("alpha"), family: "ethereum-vm", network: "mainnet" }, account))

  return {
    bitcoin, chain, hub, urls, environment, oracle, keys, user, other, solver, depository, evmSolver,
    misbehave, coin, send, finalize, done, into, order, ask, askDeposits, submit, held, aliasOf,
    startOracle: (changes: Readonly<Record<string, string>>) => startInstance({ ...environment, ...changes }),
    transaction: (id: string): Transaction => chain.ledger.transaction(id) ?? new Transaction()
  }
})

export type BitcoinStage = Effect.Success<ReturnType<typeof startBitcoinStage>>

/** The user's side of a transfer on a Tron chain: the unmodified tronweb, a key and a node (CarryOut.ts). */
import { Effect, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { carryOutWith } from "../../nodes/tron/CarryOut.ts"
import { toEvm } from "../../nodes/tron/node/Account.ts"
import { keyOf } from "../../nodes/tron/node/LocalKey.ts"
import { Wallet } from "../../nodes/tron/node/Wallet.ts"
import { LocalnetError, reasonOf } from "../../run/LocalnetError.ts"
import type { DemoChain } from "./DemoChain.ts"
import type { TronStep } from "./TransferApi.ts"

const AGAIN_MS = 100
/** Many times the blocks of the local chain. */
const LOOKS = 600

/** What reaches a chain. */
type TronAccess = Pick<DemoChain, "id" | "rpcUrl">

const attempt = <A>({ id }: TronAccess, what: string, act: () => Promise<A>) =>
  Effect.tryPromise({
    try: act,
    catch: (cause) => new LocalnetError({ message: `${what} on ${id} failed: ${reasonOf(cause)}` })
  })

const ask = async ({ rpcUrl }: TronAccess, method: string, asked: object): Promise<unknown> =>
  (await fetch(`${rpcUrl}/wallet/${method}`, { method: "POST", body: JSON.stringify(asked) })).json()

const Account = Schema.Struct({ balance: Schema.optionalKey(Schema.Int) })
const Number256 = Schema.Struct({ constant_result: Schema.Tuple([Schema.String]) })
const decodeAccount = Schema.decodeUnknownSync(Account)
const decodeNumber = Schema.decodeUnknownSync(Number256)

/** Smallest units. The owner of a constant call is the token itself, which exists. */
export const balance = (
  chain: DemoChain,
  currency: string,
  owner: string
): Effect.Effect<bigint, LocalnetError> =>
  attempt(chain, "reading a balance", async () => {
    if (currency === chain.native.address) {
      return BigInt(decodeAccount(await ask(chain, "getaccount", { address: owner, visible: true })).balance ?? 0)
    }
    const { constant_result: [word] } = decodeNumber(
      await ask(chain, "triggerconstantcontract", {
        owner_address: currency,
        contract_address: currency,
        function_selector: "balanceOf(address)",
        parameter: toEvm(owner).slice(2).padStart(64, "0"),
        visible: true
      })
    )
    return BigInt(`0x${word}`)
  })

/** Signs and sends what a step requests. Returns the transaction's id. */
export const send = (chain: DemoChain, key: string, step: TronStep): Effect.Effect<string, LocalnetError> =>
  attempt(
    chain,
    "sending the step's transaction",
    async () => carryOutWith(await Wallet.open(chain.rpcUrl, keyOf(`0x${key}`)), step)
  )

/** Calls a contract with the user's own transaction. Returns its id. */
export const call = (
  chain: TronAccess,
  key: string,
  contract: string,
  data: `0x${string}`
): Effect.Effect<string, LocalnetError> =>
  attempt(
    chain,
    "a transaction",
    async () => (await Wallet.open(chain.rpcUrl, keyOf(`0x${key}`))).trigger(contract, data)
  )

const Head = Schema.Struct({
  block_header: Schema.Struct({ raw_data: Schema.Struct({ timestamp: Schema.Int }) })
})
const decodeHead = Schema.decodeUnknownSync(Head)

/** Seconds: the time of the chain's newest block. */
export const headTime = (chain: TronAccess): Effect.Effect<bigint, LocalnetError> =>
  attempt(chain, "reading a block", async () => {
    const { block_header: { raw_data: { timestamp } } } = decodeHead(await ask(chain, "getnowblock", {}))
    return BigInt(Math.floor(timestamp / 1_000))
  })

const Log = Schema.Struct({
  address: Schema.String,
  topics: Schema.Array(Schema.String),
  data: Schema.optionalKey(Schema.String)
})
const Told = Schema.Struct({
  id: Schema.optionalKey(Schema.String),
  fee: Schema.optionalKey(Schema.Int),
  result: Schema.optionalKey(Schema.String),
  log: Schema.optionalKey(Schema.Array(Log))
})
const decodeTold = Schema.decodeUnknownSync(Told)

/** The first topic of TRC-20's Transfer. */
const TRANSFER = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

/** Units of a token that the transfers among the logs gave an account. */
export const tokensTo = (logs: ReadonlyArray<typeof Log.Type>, token: string, account: string): bigint => {
  const [contract, payee] = [toEvm(token).slice(2), toEvm(account).slice(2)]
  return logs.reduce(
    (sum, { address, data, topics: [topic, , to = ""] }) =>
      address === contract && topic === TRANSFER && to.endsWith(payee) ? sum + BigInt(`0x${data ?? "0"}`) : sum,
    0n
  )
}

/** A transaction in a block: what it burnt in sun, and its logs. */
export const mined = Effect.fnUntraced(function*(chain: TronAccess, id: string) {
  for (let looks = 0; looks < LOOKS; looks += 1) {
    const told = yield* attempt(
      chain,
      `transaction ${id}`,
      async () => decodeTold(await ask(chain, "gettransactioninfobyid", { value: id }))
    )
    if (told.id !== undefined) {
      return { succeeded: told.result !== "FAILED", gasCost: BigInt(told.fee ?? 0), logs: told.log ?? [] }
    }
    yield* Effect.sleep(AGAIN_MS)
  }
  return yield* new LocalnetError({ message: `transaction ${id} is not on ${chain.id}` })
})

/** A new account. Its key is discarded. */
export const newAddress = Effect.sync(() => keyOf(`0x${randomBytes(32).toString("hex")}`).address)

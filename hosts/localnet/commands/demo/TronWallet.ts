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

const attempt = <A>({ id }: DemoChain, what: string, act: () => Promise<A>) =>
  Effect.tryPromise({
    try: act,
    catch: (cause) => new LocalnetError({ message: `${what} on ${id} failed: ${reasonOf(cause)}` })
  })

const ask = async ({ rpcUrl }: DemoChain, method: string, asked: object): Promise<unknown> =>
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

const Told = Schema.Struct({
  id: Schema.optionalKey(Schema.String),
  fee: Schema.optionalKey(Schema.Int),
  result: Schema.optionalKey(Schema.String)
})
const decodeTold = Schema.decodeUnknownSync(Told)

/** A transaction in a block, and what it burnt in sun. */
export const mined = Effect.fnUntraced(function*(chain: DemoChain, id: string) {
  for (let looks = 0; looks < LOOKS; looks += 1) {
    const told = yield* attempt(
      chain,
      `transaction ${id}`,
      async () => decodeTold(await ask(chain, "gettransactioninfobyid", { value: id }))
    )
    if (told.id !== undefined) return { succeeded: told.result !== "FAILED", gasCost: BigInt(told.fee ?? 0) }
    yield* Effect.sleep(AGAIN_MS)
  }
  return yield* new LocalnetError({ message: `transaction ${id} is not on ${chain.id}` })
})

/** A new account. Its key is discarded. */
export const newAddress = Effect.sync(() => keyOf(`0x${randomBytes(32).toString("hex")}`).address)

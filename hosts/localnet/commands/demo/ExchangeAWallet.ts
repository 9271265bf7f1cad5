/** The user's side of a transfer on exchange A: a key, viem for typed data, and the exchange's public interface. */
import { Effect, Schema } from "effect"
import type { Hex } from "viem"
import { isHex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { parseUnits } from "viem/utils"
import { LocalnetError, reasonOf } from "../../run/LocalnetError.ts"
import { usdc } from "./DemoChain.ts"
import type { DemoChain } from "./DemoChain.ts"
import type { ExchangeAStep, SignatureStep } from "./TransferApi.ts"

/** What reaches an exchange. */
type ExchangeAccess = Pick<DemoChain, "id" | "rpcUrl">

/** Any EVM chain works: only its number is signed. The steps' own mapping is signed on this one. */
const SIGNED_ON = 42_161

const attempt = <A>({ id }: ExchangeAccess, what: string, act: () => Promise<A>) =>
  Effect.tryPromise({
    try: act,
    catch: (cause) => new LocalnetError({ message: `${what} on ${id} failed: ${reasonOf(cause)}` })
  })

const ask = async ({ rpcUrl }: ExchangeAccess, path: string, body: object): Promise<unknown> =>
  (await fetch(`${rpcUrl}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body)
  })).json()

const decodePerps = Schema.decodeUnknownSync(Schema.Struct({ withdrawable: Schema.String }))
const decodeSpot = Schema.decodeUnknownSync(Schema.Struct({
  balances: Schema.Array(Schema.Struct({ coin: Schema.String, total: Schema.String }))
}))

/** Smallest units of USDC, on perps or on spot. */
export const balance = (
  chain: ExchangeAccess,
  currency: string,
  user: string
): Effect.Effect<bigint, LocalnetError> =>
  attempt(chain, "reading a balance", async () => {
    if (currency === usdc.address) {
      const { withdrawable } = decodePerps(await ask(chain, "/info", { type: "clearinghouseState", user, dex: "" }))
      return parseUnits(withdrawable, usdc.decimals)
    }
    const { balances } = decodeSpot(await ask(chain, "/info", { type: "spotClearinghouseState", user }))
    return parseUnits(balances.find(({ coin }) => coin === usdc.symbol)?.total ?? "0", usdc.decimals)
  })

const keyOf = (key: string): Hex => {
  if (!isHex(key)) throw new Error("no key")
  return key
}

const mutable = (types: ExchangeAStep["eip712Types"]) =>
  Object.fromEntries(Object.entries(types).map(([name, members]) => [name, [...members]]))

/** As the step asks for it. */
export const sign = (
  chain: ExchangeAccess,
  key: string,
  { sign: { domain, primaryType, types, value } }: SignatureStep
): Effect.Effect<string, LocalnetError> =>
  attempt(
    chain,
    "signing",
    () => privateKeyToAccount(keyOf(key)).signTypedData({ domain, types: mutable(types), primaryType, message: value })
  )

const Listed = Schema.Struct({
  txs: Schema.Array(Schema.Struct({ hash: Schema.String, action: Schema.Record(Schema.String, Schema.Json) }))
})
const decodeListed = Schema.decodeUnknownSync(Listed)
const decodeSaid = Schema.decodeUnknownSync(Schema.Struct({ status: Schema.String, response: Schema.Unknown }))

/** Signs the transfer and posts it to the exchange. Returns its hash. */
export const send = (chain: ExchangeAccess, key: string, step: ExchangeAStep): Effect.Effect<string, LocalnetError> =>
  attempt(chain, "the transfer", async () => {
    const { action: { parameters, type }, eip712PrimaryType, eip712Types } = step
    const account = privateKeyToAccount(keyOf(key))
    const action = { ...parameters, type, signatureChainId: `0x${SIGNED_ON.toString(16)}` }
    const { nonce } = parameters
    const signature = await account.signTypedData({
      domain: {
        name: "HyperliquidSignTransaction",
        version: "1",
        chainId: SIGNED_ON,
        verifyingContract: "0x0000000000000000000000000000000000000000"
      },
      types: mutable(eip712Types),
      primaryType: eip712PrimaryType,
      message: action
    })
    const [r, s, v] = [signature.slice(0, 66), `0x${signature.slice(66, 130)}`, Number(`0x${signature.slice(130)}`)]
    const { response, status } = decodeSaid(
      await ask(chain, "/exchange", { action, nonce, signature: { r, s, v } })
    )
    if (status !== "ok") throw new Error(JSON.stringify(response))
    const { txs } = decodeListed(await ask(chain, "/explorer", { type: "userDetails", user: account.address }))
    const sent = txs.find((each) => each.action["nonce"] === nonce)
    if (sent === undefined) throw new Error("the explorer does not show it")
    return sent.hash
  })

const Shown = Schema.Struct({
  tx: Schema.Struct({ error: Schema.NullOr(Schema.String), time: Schema.Int, user: Schema.String })
})
const decodeShown = Schema.decodeUnknownSync(Shown)
const decodeLedger = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({
  hash: Schema.String,
  delta: Schema.Struct({ fee: Schema.optionalKey(Schema.String) })
})))

/** What became of a transfer, and the fee that the exchange took for a new account. */
export const mined = (chain: ExchangeAccess, hash: string) =>
  attempt(chain, `transaction ${hash}`, async () => {
    const { tx: { error, time, user } } = decodeShown(await ask(chain, "/explorer", { type: "txDetails", hash }))
    const ledger = decodeLedger(
      await ask(chain, "/info", { type: "userNonFundingLedgerUpdates", user, startTime: time, endTime: time })
    )
    const fee = ledger.find((each) => each.hash === hash)?.delta.fee ?? "0"
    return { succeeded: error === null, gasCost: parseUnits(fee, usdc.decimals) }
  })

/**
 * The user's side of a transfer on exchange A: viem, a key, the service and the exchange. Signs under the chain that
 * its wallet is on, posts the mapping to the service, and the transfer to the exchange itself.
 */
import { Effect, Schema } from "effect"
import type { Hex } from "viem"
import { zeroAddress } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { parseUnits } from "viem/utils"
import { LocalnetError, reasonOf } from "../../run/LocalnetError.ts"
import { perps } from "./DemoChain.ts"
import type { DemoChain } from "./DemoChain.ts"
import type { ExchangeAMapping, ExchangeATransfer } from "./TransferApi.ts"

/** The chain of the wallet. Any EVM chain would do: here, Base. */
const WALLET_CHAIN = 8_453

type ExchangeAccess = Pick<DemoChain, "id" | "rpcUrl">

const attempt = <A>({ id }: ExchangeAccess, what: string, act: () => Promise<A>) =>
  Effect.tryPromise({
    try: act,
    catch: (cause) => new LocalnetError({ message: `${what} on ${id} failed: ${reasonOf(cause)}` })
  })

const post = async (url: string, body: object): Promise<unknown> => {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(text)
  return JSON.parse(text)
}

const decodePerps = Schema.decodeUnknownSync(Schema.Struct({ withdrawable: Schema.String }))
const decodeSpot = Schema.decodeUnknownSync(
  Schema.Struct({ balances: Schema.Array(Schema.Struct({ coin: Schema.String, total: Schema.String })) })
)

/** Smallest units of USDC, on perps or on spot. */
export const balance = (chain: ExchangeAccess, currency: string, owner: string): Effect.Effect<bigint, LocalnetError> =>
  attempt(chain, "reading a balance", async () => {
    const ask = (type: string) => post(`${chain.rpcUrl}/info`, { type, user: owner })
    if (currency === perps.address) {
      return parseUnits(decodePerps(await ask("clearinghouseState")).withdrawable, perps.decimals)
    }
    const { balances } = decodeSpot(await ask("spotClearinghouseState"))
    return parseUnits(balances.find(({ coin }) => coin === "USDC")?.total ?? "0", perps.decimals)
  })

/** Signs which order the transfer's nonce stands for, and posts it to the service. */
export const authorize = (
  chain: ExchangeAccess,
  transferUrl: string,
  key: Hex,
  { post: { body, endpoint }, sign: { primaryType, types, value } }: ExchangeAMapping
): Effect.Effect<undefined, LocalnetError> =>
  attempt(chain, "posting the mapping of a transfer", async () => {
    const domain = { name: "RelayNonceMapping", version: "2", verifyingContract: zeroAddress, chainId: WALLET_CHAIN }
    const signature = await privateKeyToAccount(key).signTypedData({ domain, types, primaryType, message: value })
    await post(`${transferUrl}${endpoint}?signature=${signature}`, { ...body, signatureChainId: WALLET_CHAIN })
    return undefined
  })

const isDone = Schema.is(Schema.Struct({ status: Schema.Literal("ok") }))
const decodeUpdates = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({
    hash: Schema.String,
    delta: Schema.Struct({ nonce: Schema.optionalKey(Schema.Unknown) })
  }))
)

/** Signs a transfer and posts it to the exchange. Returns its hash. */
export const send = (
  chain: ExchangeAccess,
  key: Hex,
  { action: { parameters, type }, eip712PrimaryType, eip712Types }: ExchangeATransfer
): Effect.Effect<string, LocalnetError> =>
  attempt(chain, "sending the transfer", async () => {
    const account = privateKeyToAccount(key)
    const action: Readonly<Record<string, unknown>> = {
      ...parameters,
      type,
      signatureChainId: `0x${WALLET_CHAIN.toString(16)}`
    }
    const signature = await account.signTypedData({
      domain: {
        name: "HyperliquidSignTransaction",
        version: "1",
        verifyingContract: zeroAddress,
        chainId: WALLET_CHAIN
      },
      types: eip712Types,
      primaryType: eip712PrimaryType,
      message: action
    })
    const [r, s, v] = [signature.slice(0, 66), `0x${signature.slice(66, 130)}`, Number(`0x${signature.slice(130)}`)]
    const { nonce } = action
    const answer = await post(`${chain.rpcUrl}/exchange`, { action, nonce, signature: { r, s, v } })
    if (!isDone(answer)) throw new Error(JSON.stringify(answer))
    const updates = await post(`${chain.rpcUrl}/info`, {
      type: "userNonFundingLedgerUpdates",
      user: account.address,
      startTime: 0
    })
    const sent = decodeUpdates(updates).find(({ delta }) => String(delta.nonce) === String(nonce))
    if (sent === undefined) throw new Error("the exchange does not show the transfer")
    return sent.hash
  })

const decodeShown = Schema.decodeUnknownSync(Schema.Struct({
  tx: Schema.Struct({ error: Schema.NullOr(Schema.String), time: Schema.Int, user: Schema.String })
}))
const decodeFees = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({
  hash: Schema.String,
  delta: Schema.Struct({ fee: Schema.optionalKey(Schema.String) })
})))

/** What became of a transfer, and the fee that the exchange took for a new account. */
export const mined = (chain: ExchangeAccess, hash: string) =>
  attempt(chain, `transaction ${hash}`, async () => {
    const { tx: { error, time, user } } = decodeShown(
      await post(`${chain.rpcUrl}/explorer`, { type: "txDetails", hash })
    )
    const ledger = decodeFees(
      await post(`${chain.rpcUrl}/info`, {
        type: "userNonFundingLedgerUpdates",
        user,
        startTime: time,
        endTime: time
      })
    )
    const fee = ledger.find((each) => each.hash === hash)?.delta.fee ?? "0"
    return { succeeded: error === null, gasCost: parseUnits(fee, perps.decimals) }
  })

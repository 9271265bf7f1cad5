/**
 * A wallet on exchange A, by viem: it signs the mapping as the step has it, and the transfer, which it posts to the
 * exchange itself. The exchange executes a transfer before it answers.
 */
import { Schema } from "effect"
import { isHex, zeroAddress } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import type { Wallet } from "../../../transfer/client/Wallet.ts"
import type { OpenWallet } from "./LocalWallet.ts"

/** The wallet's chain in what it signs. The exchange takes any. */
const SIGNED_ON = 1
const TIMEOUT_MS = 30_000

const decodeDomain = Schema.decodeUnknownSync(Schema.Struct({
  name: Schema.String,
  version: Schema.String,
  chainId: Schema.Int,
  verifyingContract: Schema.TemplateLiteral(["0x", Schema.String])
}))
const isDone = Schema.is(Schema.Struct({ status: Schema.Literal("ok") }))
const isUpdates = Schema.is(Schema.Array(Schema.Struct({
  hash: Schema.String,
  delta: Schema.Struct({ nonce: Schema.optionalKey(Schema.Unknown) })
})))

const post = async (url: string, body: object): Promise<unknown> => {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS)
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`the exchange answered ${answer.status}: ${text.slice(0, 400)}`)
  return JSON.parse(text)
}

/** The key signs mapping and transfer alike. */
export const openExchangeA: OpenWallet = (key, nodeUrl) => {
  if (!isHex(key)) return Promise.reject(new Error("no key"))
  const account = privateKeyToAccount(key)
  const url = nodeUrl.replace(/\/+$/u, "")
  /** Of an executed transfer. It has a hash in the account's history; until it is there, its nonce names it. */
  const idOf = async (nonce: string): Promise<string> => {
    const asked = { type: "userNonFundingLedgerUpdates", user: account.address, startTime: 0 }
    const updates = await post(`${url}/info`, asked).catch(() => undefined)
    const found = isUpdates(updates) ? updates.find(({ delta }) => String(delta.nonce) === nonce) : undefined
    return found?.hash ?? `nonce ${nonce}`
  }
  const wallet: Wallet = {
    sign: async (request) => {
      if (request.signatureKind !== "eip712") throw new Error("this account signs typed data")
      const { domain, primaryType, types, value } = request
      return await account.signTypedData({ domain: decodeDomain(domain), types, primaryType, message: value })
    },
    send: async (data) => {
      if (!("eip712PrimaryType" in data)) throw new Error("this transfer is not one of exchange A")
      const { action: { parameters, type }, eip712PrimaryType: primaryType, eip712Types: types } = data
      const action = { ...parameters, type, signatureChainId: `0x${SIGNED_ON.toString(16)}` }
      const signature = await account.signTypedData({
        domain: {
          name: "HyperliquidSignTransaction",
          version: "1",
          verifyingContract: zeroAddress,
          chainId: SIGNED_ON
        },
        types,
        primaryType,
        message: action
      })
      const [r, s, v] = [signature.slice(0, 66), `0x${signature.slice(66, 130)}`, Number(`0x${signature.slice(130)}`)]
      const answer = await post(`${url}/exchange`, { action, nonce: action.nonce, signature: { r, s, v } }).catch(
        (cause: unknown) => {
          throw new Error("the exchange's answer to the transfer was lost: it may have been made", { cause })
        }
      )
      if (!isDone(answer)) throw new Error(`the exchange refused the transfer: ${JSON.stringify(answer).slice(0, 400)}`)
      return await idOf(String(action.nonce))
    },
    succeeded: () => Promise.resolve()
  }
  return Promise.resolve({ account: account.address, wallet })
}

/**
 * A wallet on exchange B, by the exchange's public SDK, given the step's parameters as they are. An account there has two
 * keys: an API key signs for the rollup, and the key of the account's Ethereum owner signs the text of the transfer, which
 * alone covers its memo.
 */
import { Schema } from "effect"
import { setTimeout as after } from "node:timers/promises"
import { isExchangeBData } from "../../../../src/domain/families/TransactionData.ts"
import type { Wallet } from "../../../transfer/client/Wallet.ts"
import type { OpenWallet } from "./LocalWallet.ts"

/** The account's number, the API key's number and its 40 bytes, and the owner's 32, with a colon between. */
const KEY = /^(\d{1,15}):(\d{1,3}):((?:0x)?[0-9a-f]{80}):((?:0x)?[0-9a-f]{64})$/iu

const POLL_MS = 1_000
const TIMEOUT_MS = 30_000

/** As the exchange numbers what becomes of a transaction. */
const EXECUTED: ReadonlyArray<number> = [2, 3]
const FAILED: ReadonlyArray<number> = [4, 5]

const statusIn = Schema.decodeUnknownSync(Schema.Struct({ status: Schema.Int }))

const prefixed = (hex: string): string => hex.startsWith("0x") ? hex : `0x${hex}`

/** Undefined while the exchange does not show the transaction, or does not answer. */
const statusOf = async (url: string, id: string): Promise<number | undefined> => {
  try {
    const answer = await fetch(`${url}/api/v1/tx?by=hash&value=${encodeURIComponent(id)}`, {
      signal: AbortSignal.timeout(TIMEOUT_MS)
    })
    return answer.ok ? statusIn(await answer.json()).status : undefined
  } catch {
    return undefined
  }
}

/** Loads the SDK, whose module takes a fifth of a second and some 50 MB. */
export const openExchangeB: OpenWallet = async (key, nodeUrl) => {
  const [, account, apiKey, apiPrivateKey, owner] = KEY.exec(key) ?? []
  if (account === undefined || apiKey === undefined || apiPrivateKey === undefined || owner === undefined) {
    throw new Error("no key")
  }
  const { SignerClient } = await import("@reservoir0x/lighter-ts-sdk")
  const url = nodeUrl.replace(/\/+$/u, "")
  const wallet: Wallet = {
    send: async (data) => {
      if (!isExchangeBData(data)) throw new Error("this transfer is not one of exchange B")
      const signer = new SignerClient({
        url,
        privateKey: prefixed(apiPrivateKey),
        accountIndex: Number(account),
        apiKeyIndex: Number(apiKey)
      })
      await signer.initialize()
      await signer.ensureWasmClient()
      let isSigned = false
      const [, id, refused] = await signer.transfer({ ...data.action.parameters, ethSigner: prefixed(owner) }, () => {
        isSigned = true
        return Promise.resolve()
      })
      if (refused === null && id !== "") return id
      // The SDK says the same of a refusal and of an answer that was lost.
      throw new Error(
        isSigned
          ? `the exchange refused the transfer, or its answer was lost and it may have been made: ${
            refused ?? "no hash"
          }`
          : `the transfer was not signed: ${refused ?? "the SDK gives no reason"}`
      )
    },
    succeeded: async (id) => {
      for (;;) {
        const status = await statusOf(url, id)
        if (status !== undefined && EXECUTED.includes(status)) return
        if (status !== undefined && FAILED.includes(status)) {
          throw new Error(`the exchange shows the transfer as failed (status ${status})`)
        }
        // It keeps no process alive.
        await after(POLL_MS, undefined, { ref: false })
      }
    }
  }
  return { account, wallet }
}

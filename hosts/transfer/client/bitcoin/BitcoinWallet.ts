/** A wallet that signs a PSBT, and an Esplora-compatible explorer that broadcasts what it signed. */
import { pause } from "../Track.ts"
import type { Wallet } from "../Wallet.ts"

/** What the wallet is made from. */
export interface BitcoinWalletOptions {
  /** Signs all inputs of the PSBT (hex), finalises them, and returns the transaction (hex). */
  readonly signPsbt: (psbt: string) => Promise<string>
  /** The explorer's API, such as `https://explorer.example/api`. */
  readonly explorerUrl: string
  readonly fetch?: typeof fetch
  /** Milliseconds between two looks at a transaction, 10,000 by default. */
  readonly pollEvery?: number
}

/** Resolves `succeeded` once the transaction is in a block: one that is never mined leaves it waiting. */
export const bitcoinWallet = (options: BitcoinWalletOptions): Wallet => {
  const { explorerUrl, fetch: reach = globalThis.fetch, pollEvery = 10_000, signPsbt } = options
  return {
    send: async (data) => {
      if (!("psbt" in data)) throw new Error("this transaction is not one of Bitcoin")
      if (data.psbt === "") throw new Error("the quote has no transaction: pay its deposit address")
      const answer = await reach(`${explorerUrl}/tx`, { method: "POST", body: await signPsbt(data.psbt) })
      const text = (await answer.text()).trim()
      if (answer.ok) return text
      throw new Error(`the explorer refused the transaction: ${text.slice(0, 400)}`)
    },
    succeeded: async (id) => {
      while (true) {
        const status: unknown = await reach(`${explorerUrl}/tx/${id}/status`).then((answer) => answer.json()).catch(
          () => undefined
        )
        if (typeof status === "object" && status !== null && "confirmed" in status && status.confirmed === true) return
        await pause(pollEvery)
      }
    }
  }
}

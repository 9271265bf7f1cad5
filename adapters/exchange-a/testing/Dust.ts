/** Transfers of dust that all come in the millisecond at which the simulated exchange's clock stands. */
import { assert } from "@effect/vitest"
import type { Book } from "../../../hosts/localnet/nodes/exchange-a/node/Book.ts"
import { ACTIVATION_FEE } from "../../../hosts/localnet/nodes/exchange-a/node/Book.ts"
import { USDC } from "../../../hosts/localnet/nodes/exchange-a/node/Token.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { newAccount } from "./PayingExchangeA.ts"

const token = `USDC:${USDC.tokenId}`
const amount = "0.000001"

export const stranger = newAccount()

/** So many transfers to the account, by a stranger who has the money for them, or by another account. */
export const dust = (book: Book, to: Address, count: number, from = stranger): void => {
  if (from === stranger) book.credit(stranger, "", BigInt(count) * 100n + ACTIVATION_FEE)
  for (let nth = 0; nth < count; nth += 1) {
    // The nonces of one account never repeat.
    const nonce = `${book.now() + book.all().length + 10_000}`
    const moved = { sourceDex: "", destinationDex: "", token, amount, fromSubAccount: "", nonce: Number(nonce) }
    assert.isUndefined(book.submit({
      signer: from,
      nonce,
      destination: to,
      from: "",
      to: "",
      token,
      amount,
      shown: { type: "sendAsset", hyperliquidChain: "Mainnet", destination: to, ...moved }
    }))
  }
}

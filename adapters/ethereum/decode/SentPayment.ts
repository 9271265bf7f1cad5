/**
 * The payment in a transaction of the solver's account: the inverse of `paymentBody`. Nothing else counts as a payment.
 * The account signed the transaction, so once it has succeeded it did what it says.
 */
import { addressCodec } from "../../../src/domain/families/index.ts"
import { Result } from "effect"
import { decodeFunctionData } from "viem"
import type { SentPayment } from "../../../ports/chain/SentTransactions.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { EvmTransaction } from "../../../src/domain/families/ethereum/evidence/EvmTransaction.ts"
import { plainPaymentId } from "../../../src/domain/families/ethereum/evidence/PlainPayment.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { abi as vaultAbi } from "../contracts/artifacts/Vault.ts"
import { viemHex } from "../rpc/ViemHex.ts"

const codec = addressCodec("ethereum-vm")

const accountIn = (word: string): Address => Result.getOrThrow(codec.parse(`0x${word.slice(24)}`))

const plainPayment = (chain: Chain, { input, to, value }: EvmTransaction): SentPayment | undefined => {
  const id = plainPaymentId(input)
  if (id === undefined || to === undefined) return undefined
  const orderId = OrderId.make(id)
  const isToken = input.length > 66
  if (!isToken) return { orderId, recipient: to, currency: chain.native.address, amount: value }
  const words = input.slice(10)
  return {
    orderId,
    recipient: accountIn(words.slice(0, 64)),
    currency: Result.getOrThrow(codec.parseCurrency(to)),
    amount: BigInt(`0x${words.slice(64, 128)}`)
  }
}

/** The arguments of the vault's `fill`. viem throws on every other input. */
const fillOf = (input: string) => {
  try {
    const { args, functionName } = decodeFunctionData({ abi: vaultAbi, data: viemHex(input) })
    return functionName === "fill" ? args : undefined
  } catch {
    return undefined
  }
}

const vaultPayment = (chain: Chain, { input, to }: EvmTransaction): SentPayment | undefined => {
  const args = chain.vault === undefined || to !== chain.vault ? undefined : fillOf(input)
  const [orderId, , fill] = args ?? []
  const [payment, topup] = fill?.payments ?? []
  if (orderId === undefined || fill === undefined || payment === undefined) return undefined
  return {
    orderId: OrderId.make(orderId),
    recipient: Result.getOrThrow(codec.parse(fill.recipient)),
    currency: Result.getOrThrow(codec.parseCurrency(payment.token)),
    amount: payment.amount,
    ...(topup === undefined ? {} : { topup: topup.amount }),
    through: fill.calls.length === 0 ? "vault" : "calls"
  }
}

/** Undefined when it is not a payment of this service. */
export const sentPayment = (chain: Chain, transaction: EvmTransaction): SentPayment | undefined =>
  plainPayment(chain, transaction) ?? vaultPayment(chain, transaction)

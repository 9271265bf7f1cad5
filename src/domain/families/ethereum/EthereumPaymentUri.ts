/** Payment URIs of EVM chains (EIP-681): native currency as a plain payment, a token as a call of its `transfer`. */
import type { PaymentRequest } from "../PaymentRequest.ts"

/** Amounts are in smallest units. The URI names the chain, so a wallet cannot pay on another one. */
export const ethereumPaymentUri = ({ currency, to, units }: PaymentRequest): string =>
  currency.isNative
    ? `ethereum:${to}@${currency.chainId}?value=${units}`
    : `ethereum:${currency.address}@${currency.chainId}/transfer?address=${to}&uint256=${units}`

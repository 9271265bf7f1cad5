/**
 * Payment URIs of Solana (Solana Pay, transfer requests). A token is named by its mint. The URI names no cluster: a
 * wallet pays on the one that it is connected to.
 */
import { formatDecimal } from "../../money/Decimal.ts"
import type { PaymentRequest } from "../PaymentRequest.ts"

/** Amounts are in whole units, exact. */
export const solanaPaymentUri = ({ currency, to, units }: PaymentRequest): string =>
  `solana:${to}?amount=${formatDecimal(units, currency.decimals)}${
    currency.isNative ? "" : `&spl-token=${currency.address}`
  }`

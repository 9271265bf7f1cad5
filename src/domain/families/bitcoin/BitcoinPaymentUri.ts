/** Payment URIs of Bitcoin (BIP-21). The address itself shows the network. */
import { formatDecimal } from "../../money/Decimal.ts"
import type { PaymentRequest } from "../PaymentRequest.ts"

/** Amounts are in whole bitcoins, exact. */
export const bitcoinPaymentUri = ({ currency, to, units }: PaymentRequest): string =>
  `bitcoin:${to}?amount=${formatDecimal(units, currency.decimals)}`

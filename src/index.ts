/**
 * `causeway-kit`: the pure core, for services that embed it. All rules, no I/O: values in, values out, errors as
 * `Result`s.
 *
 * Guarantee: importing it opens no socket, reads no clock and no environment, and loads neither a port, a service nor
 * an adapter. Those are `causeway-kit/ports`, `/services`, `/adapters/*` and `/hosts/transfer` (docs/embedding.md).
 */
export * from "./public/AppBalance.ts"
export * from "./public/Chains.ts"
export * from "./public/DepositAddresses.ts"
export * from "./public/Evidence.ts"
export * from "./public/Families.ts"
export * from "./public/Money.ts"
export * from "./public/Orders.ts"
export * from "./public/Quorum.ts"
export * from "./public/Quotes.ts"
export * from "./public/QuoteWire.ts"
export * from "./public/Settlement.ts"
export * from "./public/Sponsorship.ts"
export * from "./public/Transfers.ts"
export * from "./public/Webhooks.ts"

/** `causeway-kit/client/verify`: the verification of quotes, for clients that pay by them. */
export { type KnownChains, knownChains, type KnownChainsOptions } from "./KnownChains.ts"
export { type QuoteBounds, quoteVerifier, type VerifierOptions } from "./QuoteVerifier.ts"

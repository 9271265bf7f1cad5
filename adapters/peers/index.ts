/** `causeway-kit/adapters/peers`: the way to other oracles. */
/** The port `Peers`, over HTTP. */
export * as HttpPeers from "./HttpPeers.ts"

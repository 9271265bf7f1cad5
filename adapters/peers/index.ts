/** `causeway-kit/adapters/peers`: the connection to other oracles. */
/** The port `Peers`, over HTTP. */
export * as HttpPeers from "./HttpPeers.ts"

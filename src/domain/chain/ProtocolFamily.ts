/** The family whose accounts the protocol uses for its own parties (`ProtocolAccounts`). */
export { ethereum as protocolFamily } from "../families/ethereum/Rules.ts"

/**
 * Accounts of the protocol itself are EVM accounts, whatever the chain: solvers, oracles, recipients of app fees,
 * owners on a hub.
 */
export { ethereumAddresses as protocolAccounts } from "../families/ethereum/EthereumAddresses.ts"

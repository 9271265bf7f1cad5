/**
 * The protocol's own accounts are EVM accounts on every chain: solvers, oracles, recipients of app fees, owners on a
 * hub.
 */
export { ethereumAddresses as protocolAccounts } from "../families/ethereum/EthereumAddresses.ts"

/**
 * The contract that tells a transaction's fee for data on L1 (PRICE-28): a predeploy of every chain of the OP stack. It
 * answers `getL1FeeUpperBound` since the hard fork Fjord.
 */
export const gasPriceOracle = "0x420000000000000000000000000000000000000f"

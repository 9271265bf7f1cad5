// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title The part of the OP stack's GasPriceOracle that prices data on L1, and the operator's fee, for local networks
/// @notice As specified for the hard forks Fjord and Isthmus. The fees of L1 are set by hand: the predeploy that has them elsewhere
/// has no code here.
contract TestGasPriceOracle {
    /// @notice 16 times the base fee of L1 times its scalar, and the blob base fee times its own.
    uint256 public feeScaled;

    /// @notice The operator's fee for a million gas in the upper 128 bits, and its fee for each transaction in the lower.
    uint256 public operatorFees;

    function setFeeScaled(uint256 feeScaled_) external {
        feeScaled = feeScaled_;
    }

    /// @notice The fee of a transaction of this size whose data cannot be compressed.
    function getL1FeeUpperBound(uint256 unsignedTxSize) external view returns (uint256) {
        uint256 signed = unsignedTxSize + 68;
        uint256 compressed = signed + signed / 255 + 16;
        uint256 weighed = 836_500 * compressed;
        uint256 estimated = weighed > 42_585_600 + 100e6 ? weighed - 42_585_600 : 100e6;
        return estimated * feeScaled / 1e12;
    }

    /// @notice As before Isthmus while no fee is set: the chain's contract lacks the function then.
    function getOperatorFee(uint256 gasUsed) external view returns (uint256) {
        require(operatorFees != 0);
        return gasUsed * (operatorFees >> 128) / 1e6 + uint128(operatorFees);
    }
}

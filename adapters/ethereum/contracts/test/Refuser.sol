// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title A contract for tests that fails in chosen ways
contract Refuser {
    error Refused();

    uint256 private burnt;

    receive() external payable {
        revert Refused();
    }

    function refuse() external pure {
        revert Refused();
    }

    /// @notice Fails with a return of a megabyte: whoever copies it pays for it.
    function bomb() external pure {
        assembly {
            revert(0, 1000000)
        }
    }

    /// @notice Needs about `gasNeeded` and succeeds when it has that.
    function work(uint256 gasNeeded) external {
        uint256 start = gasleft();
        while (start - gasleft() < gasNeeded) {
            ++burnt;
        }
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";
import {OrderCall} from "./Fills.sol";

/// @title Executor: the account from which one order's calls run, and never another's
/// @notice The Router makes a new clone of it for every fill with calls, funds it, runs the calls and empties it, in
/// one transaction. It is the `msg.sender` that a user's calls have. The SwapDepositor does the same with one of its own for
/// every swap: whoever deployed it is "the Router" here.
/// SECURITY: what a user's calls leave behind (allowances above all) hangs on an address that is never used again,
/// so it cannot touch the next user. It has no storage, no owner, and no rights anywhere.
/// It is no wallet: NFTs sent safely to it are refused, tokens that nobody named stay in it for ever.
contract Executor {
    using SafeERC20 for IERC20;

    error NotTheRouter();
    error CallFailed(uint256 index, bytes reason);

    uint256 private constant MAX_REASON = 256;

    /// @dev An immutable stands in the code, so every clone shares it.
    address private immutable ROUTER;

    modifier onlyRouter() {
        require(msg.sender == ROUTER, NotTheRouter());
        _;
    }

    constructor() {
        ROUTER = msg.sender;
    }

    /// @notice Change, unwrapped currency, swap output. Small enough for the 2300 gas of a WETH withdrawal.
    receive() external payable {}

    /// @dev Of what the call returns at most 256 bytes of a failure are kept.
    function run(uint256 index, OrderCall calldata call) external onlyRouter {
        bool success = LowLevelCall.callNoReturn(call.to, call.value, call.data);
        if (!success) revert CallFailed(index, _reason());
    }

    /// @notice Sends everything that is left to `recipient`, the native currency last. Reverts when it does not take it.
    function sweep(address token, address recipient) external onlyRouter {
        if (token == address(0)) {
            if (address(this).balance > 0) Address.sendValue(payable(recipient), address(this).balance);
            return;
        }
        uint256 left = IERC20(token).balanceOf(address(this));
        if (left > 0) IERC20(token).safeTransfer(recipient, left);
    }

    function _reason() private pure returns (bytes memory reason) {
        uint256 size = LowLevelCall.returnDataSize();
        if (size > MAX_REASON) size = MAX_REASON;
        reason = new bytes(size);
        assembly ("memory-safe") {
            returndatacopy(add(reason, 0x20), 0, size)
        }
    }
}

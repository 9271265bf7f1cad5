// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// @title Handover: what a swap pays passes over it to the account whose calls come next
/// @notice The calls of a fill run from an account that is made in the fill, so that no swap can name it before. The swap
/// names this contract, and the next call takes what has come: whoever calls gets all that there is.
/// SECURITY: it belongs to everybody. Nothing may stay in it between transactions; a fill takes what it brings, at least the
/// minimum that the order says, or none of it happens.
contract Handover {
    using SafeERC20 for IERC20;

    error TooLittle(uint256 held, uint256 minimum);

    /// @param minimum smallest units; what is there above it is given as well
    function take(address token, uint256 minimum) external {
        uint256 held = IERC20(token).balanceOf(address(this));
        require(held >= minimum, TooLittle(held, minimum));
        IERC20(token).safeTransfer(msg.sender, held);
    }
}

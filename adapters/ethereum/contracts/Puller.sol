// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// @notice Whoever makes a puller says what it takes.
interface IPulling {
    /// @return token of which it is taken
    /// @return owner who has allowed it
    /// @return amount smallest units
    function pulling() external view returns (address token, address owner, uint256 amount);
}

/// @title Puller: the spender of one permit (EIP-2612)
/// @notice Its address follows from what the permit is for (owner, token, amount, order, deadline): an allowance given to it is
/// therefore the owner's word on the order, which a permit alone has no room for. It takes the amount while it is being
/// made, for its maker, and never anything again: an address is made once.
contract Puller {
    using SafeERC20 for IERC20;

    constructor() {
        (address token, address owner, uint256 amount) = IPulling(msg.sender).pulling();
        IERC20(token).safeTransferFrom(owner, msg.sender, amount);
    }
}

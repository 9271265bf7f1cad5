// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Puppet} from "./Puppet.sol";

/// @title A swap for tests: takes a token by allowance, gives another one for one, and may let somebody in between
contract Market {
    using SafeERC20 for IERC20;

    Puppet private between;

    event Caller(address caller);

    function letIn(Puppet puppet) external {
        between = puppet;
    }

    function swap(IERC20 input, uint256 amount, IERC20 output, uint256 outputAmount) external {
        emit Caller(msg.sender);
        input.safeTransferFrom(msg.sender, address(this), amount);
        if (address(between) != address(0)) between.play();
        output.safeTransfer(msg.sender, outputAmount);
    }
}

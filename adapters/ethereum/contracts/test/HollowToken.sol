// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title A token that takes every call and does nothing of what it does not know, as WETH does
/// @notice For tests: what is asked of it in vain must not look as if it had happened. Once it is told whom to call back, it does so
/// and gives a unit of itself to whoever asked, so that what was asked of it goes on.
contract HollowToken is ERC20 {
    address public target;
    bytes public act;
    bool public succeeded;

    constructor() ERC20("Hollow", "HOLLOW") {}

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    /// @notice What it does when it is next asked for something that it does not know.
    function teach(address target_, bytes calldata act_) external {
        (target, act) = (target_, act_);
    }

    fallback() external {
        if (target == address(0)) return;
        (succeeded, ) = target.call(act);
        _mint(msg.sender, 1);
    }
}

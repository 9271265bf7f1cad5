// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {Puppet} from "./Puppet.sol";

/// @title A hostile token for tests: takes a fee, and calls back before or after it moves balances
/// @notice The callback goes to the `hook` of whoever is party to the transfer, as ERC-777's do.
contract OddToken is ERC20 {
    uint256 private immutable FEE_BPS;

    Puppet public hookBefore;
    Puppet public hookAfter;

    constructor(uint256 feeBps) ERC20("Odd", "ODD") {
        FEE_BPS = feeBps;
    }

    /// @dev As USDC and USDT have: its code also replaces theirs, as an upgrade would, and must not differ in that.
    function decimals() public pure override returns (uint8) {
        return 6;
    }

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function setHooks(Puppet before, Puppet afterwards) external {
        hookBefore = before;
        hookAfter = afterwards;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (address(hookBefore) != address(0)) hookBefore.play();
        uint256 fee = from == address(0) ? 0 : (value * FEE_BPS) / 10_000;
        super._update(from, to, value - fee);
        if (fee > 0) super._update(from, address(0xfee), fee);
        if (address(hookAfter) != address(0)) hookAfter.play();
    }
}

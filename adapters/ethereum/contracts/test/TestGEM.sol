// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title A token of local networks that the solver does not hold: it is reached by a swap
/// @notice 18 decimals. ANYBODY may mint: worthless by design.
contract TestGEM is ERC20 {
    constructor() ERC20("Local Gem", "GEM") {}

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }
}

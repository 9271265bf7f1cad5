// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";

/// @title A dollar for local networks that has EIP-2612 permits and nothing else
/// @notice 18 decimals. ANYBODY may mint: worthless by design.
contract TestDAI is ERC20Permit {
    constructor() ERC20("Local Dai", "DAI") ERC20Permit("Local Dai") {}

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";

/// @title A token for tests that says of its permits what it was made with: EIP-2612's, or those of DAI on Ethereum
contract OldPermitToken is ERC20Permit {
    bytes32 public immutable PERMIT_TYPEHASH;

    constructor(bool old) ERC20("Old", "OLD") ERC20Permit("Old") {
        PERMIT_TYPEHASH = old
            ? keccak256("Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)")
            : keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
    }
}

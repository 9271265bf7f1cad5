// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {ERC6909} from "@openzeppelin/contracts/token/ERC6909/ERC6909.sol";

/// @title Hub: who owns what of the deposits on all chains
/// @notice ERC-6909 tokens, one for each currency of each chain; the id says which (PROTO-7, hubTokenId). Its gates
/// mint what was deposited, burn what was withdrawn, and move what orders settle, for any account.
/// SECURITY: a gate is the whole trust in this contract. Accounts are aliases nobody has a key for as well as real ones,
/// so a gate needs no approval; everybody else has ERC-6909's own rules.
contract Hub is ERC6909, Ownable2Step {
    event GateChanged(address gate, bool allowed);

    error NotAGate(address caller);
    error ZeroAddress();

    /// @notice Contracts that mint, burn and move.
    mapping(address account => bool allowed) public isGate;

    modifier onlyGate() {
        require(isGate[msg.sender], NotAGate(msg.sender));
        _;
    }

    constructor(address owner_) Ownable(owner_) {}

    function setGate(address gate, bool allowed) external onlyOwner {
        require(gate != address(0), ZeroAddress());
        isGate[gate] = allowed;
        emit GateChanged(gate, allowed);
    }

    function mint(address to, uint256 id, uint256 amount) external onlyGate {
        _mint(to, id, amount);
    }

    function burn(address from, uint256 id, uint256 amount) external onlyGate {
        _burn(from, id, amount);
    }

    /// @notice A gate is an operator of every account: `transferFrom` is how it moves.
    function isOperator(address owner_, address spender) public view override returns (bool) {
        return isGate[spender] || super.isOperator(owner_, spender);
    }
}

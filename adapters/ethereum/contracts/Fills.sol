// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @notice One payment of an order's output; `token` zero is the chain's native currency.
/// A payment whose recipient is the router pays for the calls.
struct Payment {
    address recipient;
    address token;
    uint256 amount;
}

/// @notice One call of an order, in the order's own encoding and sequence.
struct OrderCall {
    address to;
    bytes data;
    uint256 value;
}

/// @notice What a solver does for an order in one transaction.
/// @param payments the output's payments; the router's share of them funds the calls
/// @param calls the order's calls, run in this sequence after all payments
/// @param leftovers tokens that the calls may leave behind, besides those that funded them
/// @param recipient who receives what the calls leave; unused without calls
struct Fill {
    Payment[] payments;
    OrderCall[] calls;
    address[] leftovers;
    address recipient;
}

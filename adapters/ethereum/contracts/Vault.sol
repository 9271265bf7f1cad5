// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {Fill, Payment} from "./Fills.sol";
import {Router} from "./Router.sol";

/// @title Vault: the solver's inventory on one chain
/// @notice Pays an order's output when an operator says so, each leg of an order once for ever.
/// SECURITY: it gives no allowance to anybody, and calls nothing but tokens of its inventory and its one Router;
/// calls and addresses that users chose are met by the Router and a throw-away Executor, which have no rights here.
contract Vault is Ownable2Step, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    event OperatorChanged(address operator, bool allowed);

    error NotAnOperator(address caller);
    error ZeroAddress();
    error OrderIdMissing(bytes32 orderId);
    error LegPaid(bytes32 orderId, uint256 leg);

    /// @notice The only contract that this vault ever funds; its address is fixed, there is no setter to capture.
    Router public immutable ROUTER;

    /// @notice Hot keys of the solver that may fill.
    mapping(address account => bool allowed) public isOperator;

    /// @notice Legs that are paid.
    mapping(bytes32 orderId => mapping(uint256 leg => bool paid)) public isPaid;

    modifier onlyOperator() {
        require(isOperator[msg.sender], NotAnOperator(msg.sender));
        _;
    }

    /// @param router_ may be deployed after the vault: pass the address that it will have
    constructor(address owner_, address router_, address[] memory operators) Ownable(owner_) {
        require(router_ != address(0), ZeroAddress());
        ROUTER = Router(router_);
        for (uint256 i = 0; i < operators.length; ++i) {
            _setOperator(operators[i], true);
        }
    }

    /// @notice Inventory; whoever sends here makes the solver a present.
    receive() external payable {}

    /// @notice Pays one leg of an order: all payments and calls, or nothing (EVM-1).
    /// Tokens go straight to their recipients; native currency and calls go through the Router, whose events prove them.
    /// @param orderId must also be the last 32 bytes of the calldata, appended after the encoded call: without it
    /// there nobody could attest the payment, so it is refused here
    /// @param leg 0 is the fill; refunds and other legs of the same order have numbers of their own
    function fill(bytes32 orderId, uint256 leg, Fill calldata order) external payable onlyOperator nonReentrant {
        require(bytes32(msg.data[msg.data.length - 32:]) == orderId, OrderIdMissing(orderId));
        require(!isPaid[orderId][leg], LegPaid(orderId, leg));
        isPaid[orderId][leg] = true;

        uint256 native = 0;
        bool routed = order.calls.length > 0;
        for (uint256 i = 0; i < order.payments.length; ++i) {
            Payment calldata payment = order.payments[i];
            require(payment.recipient != address(0), ZeroAddress());
            if (payment.token == address(0)) {
                native += payment.amount;
                routed = true;
            } else {
                IERC20(payment.token).safeTransfer(payment.recipient, payment.amount);
                routed = routed || payment.recipient == address(ROUTER);
            }
        }
        if (routed) ROUTER.fill{value: native}(order);
    }

    /// @param token zero for the native currency
    function withdraw(address token, address to, uint256 amount) external onlyOwner nonReentrant {
        require(to != address(0), ZeroAddress());
        if (token == address(0)) {
            Address.sendValue(payable(to), amount);
        } else {
            IERC20(token).safeTransfer(to, amount);
        }
    }

    function setOperator(address operator, bool allowed) external onlyOwner {
        _setOperator(operator, allowed);
    }

    function _setOperator(address operator, bool allowed) private {
        require(operator != address(0), ZeroAddress());
        isOperator[operator] = allowed;
        emit OperatorChanged(operator, allowed);
    }
}

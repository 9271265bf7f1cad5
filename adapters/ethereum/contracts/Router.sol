// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {Executor} from "./Executor.sol";
import {Fill, OrderCall, Payment} from "./Fills.sol";
import {Vault} from "./Vault.sol";

/// @title Router: pays native currency and runs an order's calls, and says so in events
/// @notice Its events are the evidence of a fill (EVM-5); nothing is indexed. An event stands only for what
/// happened: a payment was sent, a call succeeded, in that order; else the whole transaction reverts.
/// SECURITY: only its Vault may call it, inside the Vault's reentrancy guard, so no user's code ever meets it twice in
/// a transaction. It gives no allowance, and forwards its whole balance before any call runs: it holds nothing then,
/// nor between transactions. What somebody forces on it goes with the next fill in that currency.
contract Router {
    using SafeERC20 for IERC20;

    event SolverNativeTransfer(address to, uint256 amount);
    event SolverCallExecuted(address to, bytes data, uint256 amount);

    error NotTheVault();
    error NotTheVaultsRouter();
    error TargetRefused(address target);
    error RecipientRefused(address recipient);
    error NoCallsToFund();

    Vault public immutable VAULT;
    address public immutable EXECUTOR;

    /// @notice Targets refused for ever: the depository, the gate, Permit2, the solver, as given at deployment.
    mapping(address target => bool refused) public isRefused;

    constructor(address payable vault, address[] memory refused) {
        VAULT = Vault(vault);
        require(address(VAULT.ROUTER()) == address(this), NotTheVaultsRouter());
        EXECUTOR = address(new Executor());
        for (uint256 i = 0; i < refused.length; ++i) {
            isRefused[refused[i]] = true;
        }
    }

    /// @notice Sends the native payments of an order, then runs its calls from a new executor that is funded with the
    /// router's share, then sends all that is left to the order's recipient.
    /// Token payments to others than the router were made by the Vault; here they are passed over.
    function fill(Fill calldata order) external payable {
        require(msg.sender == address(VAULT), NotTheVault());
        bool funded = _payNative(order.payments);
        if (order.calls.length == 0) {
            require(!funded, NoCallsToFund());
            return;
        }
        Executor executor = Executor(payable(Clones.clone(EXECUTOR, address(this).balance)));
        require(
            order.recipient != address(0) &&
                order.recipient != address(this) &&
                order.recipient != address(executor),
            RecipientRefused(order.recipient)
        );
        _fundTokens(order.payments, executor);
        _run(order.calls, executor);
        _sweep(order, executor);
    }

    /// @notice Whether an order's calls may not name this target. A second fence: no target trusts the executor.
    function refuses(address target) public view returns (bool) {
        return
            target == address(this) ||
            target == EXECUTOR ||
            target == address(VAULT) ||
            target == VAULT.owner() ||
            isRefused[target] ||
            VAULT.isOperator(target);
    }

    /// @return funded whether any payment, in whatever currency, is for the calls
    function _payNative(Payment[] calldata payments) private returns (bool funded) {
        for (uint256 i = 0; i < payments.length; ++i) {
            Payment calldata payment = payments[i];
            bool own = payment.recipient == address(this);
            funded = funded || own;
            if (payment.token != address(0)) continue;
            if (!own) Address.sendValue(payable(payment.recipient), payment.amount);
            emit SolverNativeTransfer(payment.recipient, payment.amount);
        }
    }

    /// @dev A token named twice has nothing left the second time.
    function _fundTokens(Payment[] calldata payments, Executor executor) private {
        for (uint256 i = 0; i < payments.length; ++i) {
            Payment calldata payment = payments[i];
            if (payment.token == address(0) || payment.recipient != address(this)) continue;
            _forward(IERC20(payment.token), address(executor));
        }
    }

    function _run(OrderCall[] calldata calls, Executor executor) private {
        for (uint256 i = 0; i < calls.length; ++i) {
            OrderCall calldata call = calls[i];
            require(call.to != address(executor) && !refuses(call.to), TargetRefused(call.to));
            executor.run(i, call);
            emit SolverCallExecuted(call.to, call.data, call.value);
        }
    }

    /// @dev Native last: it is the one that hands over control for certain.
    function _sweep(Fill calldata order, Executor executor) private {
        for (uint256 i = 0; i < order.payments.length; ++i) {
            Payment calldata payment = order.payments[i];
            if (payment.recipient == address(this)) _sweepToken(payment.token, order.recipient, executor);
        }
        for (uint256 i = 0; i < order.leftovers.length; ++i) {
            _sweepToken(order.leftovers[i], order.recipient, executor);
        }
        executor.sweep(address(0), order.recipient);
    }

    /// @dev Takes along what the calls sent to the router itself.
    function _sweepToken(address token, address recipient, Executor executor) private {
        if (token == address(0)) return;
        executor.sweep(token, recipient);
        _forward(IERC20(token), recipient);
    }

    function _forward(IERC20 token, address to) private {
        uint256 held = token.balanceOf(address(this));
        if (held > 0) token.safeTransfer(to, held);
    }
}

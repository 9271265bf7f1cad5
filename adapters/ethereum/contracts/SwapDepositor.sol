// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {Depository} from "./Depository.sol";
import {Executor} from "./Executor.sol";
import {OrderCall} from "./Fills.sol";

/// @notice What its sender swaps and has deposited. Token zero is the native currency.
struct SwapDeposit {
    /// @dev Taken from the sender, all of `amount`: of a token by its allowance, of native currency as the call's value.
    address input;
    uint256 amount;
    /// @dev What the depository is given, all that comes out and at least `minimum`.
    address output;
    uint256 minimum;
    bytes32 orderId;
    /// @dev A swap source's router, and what it is called with: its output goes to this contract, or to its caller.
    address router;
    bytes data;
}

/// @title SwapDepositor: swaps what its sender has, and deposits what comes out, in one transaction
/// @notice For users whose currency the solver does not take. The depositor is the sender and nobody else.
/// SECURITY: stateless, without owner or role. It calls nothing that a sender names but balanceOf, approve (for the depository)
/// and transferFrom (from the sender itself): so allowances given to it are worth nothing to anybody else. The router is called by a
/// new {Executor}, which holds this sender's money alone, is allowed nothing by anybody, and is never used again. What is deposited
/// is what this contract has more of afterwards, so what somebody left here is nobody's. Nobody enters twice.
contract SwapDepositor is ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    error ZeroAddress();
    error SameCurrency();
    error WrongValue(uint256 value);
    error NotTaken(uint256 asked, uint256 taken);
    error TooLittle(uint256 out, uint256 minimum);
    error NotDeposited(uint256 out, uint256 deposited);
    error NotSwapping();

    Depository public immutable DEPOSITORY;
    address public immutable EXECUTOR;

    constructor(Depository depository) {
        require(address(depository) != address(0), ZeroAddress());
        DEPOSITORY = depository;
        EXECUTOR = address(new Executor());
    }

    /// @notice What a swap pays out in native currency; nothing at any other time.
    receive() external payable {
        require(_reentrancyGuardEntered(), NotSwapping());
    }

    /// @notice What the router does not take of the input goes back to the sender in the same call.
    /// @return out what was deposited, smallest units of the output
    function swapAndDeposit(SwapDeposit calldata swap) external payable nonReentrant returns (uint256 out) {
        require(swap.input != swap.output, SameCurrency());
        uint256 before = _held(swap.output);
        (Executor executor, uint256 dust) = _fund(swap);
        if (swap.input != address(0)) {
            executor.run(0, OrderCall(swap.input, abi.encodeCall(IERC20.approve, (swap.router, swap.amount)), 0));
        }
        executor.run(1, OrderCall(swap.router, swap.data, swap.input == address(0) ? swap.amount : 0));
        executor.sweep(swap.output, address(this));
        out = _held(swap.output) - before;
        require(out > 0 && out >= swap.minimum, TooLittle(out, swap.minimum));
        _deposit(swap.output, out, swap.orderId);
        // Last: it may hand over control. Of nothing but the input, and of native currency only where some of it is change:
        // a sender that takes none is not to be stopped by a wei that somebody sent to the executor before there was one.
        if (swap.input != address(0) || address(executor).balance > dust) executor.sweep(swap.input, msg.sender);
    }

    /// @dev A token that takes a fee on the way reverts. More than was taken may lie there: the executor's address is known before.
    /// @return executor holds all of the input
    /// @return dust native currency that lay there, with a native input
    function _fund(SwapDeposit calldata swap) private returns (Executor executor, uint256 dust) {
        if (swap.input == address(0)) {
            require(msg.value == swap.amount, WrongValue(msg.value));
            executor = Executor(payable(Clones.clone(EXECUTOR, msg.value)));
            return (executor, address(executor).balance - msg.value);
        }
        require(msg.value == 0, WrongValue(msg.value));
        executor = Executor(payable(Clones.clone(EXECUTOR)));
        IERC20(swap.input).safeTransferFrom(msg.sender, address(executor), swap.amount);
        uint256 taken = IERC20(swap.input).balanceOf(address(executor));
        require(taken >= swap.amount, NotTaken(swap.amount, taken));
    }

    /// @dev What the event says is what the depository has more of: a token that takes a fee of the way there reverts.
    function _deposit(address output, uint256 out, bytes32 orderId) private {
        if (output == address(0)) {
            DEPOSITORY.depositNative{value: out}(msg.sender, orderId);
            return;
        }
        IERC20 token = IERC20(output);
        uint256 deposited = token.balanceOf(address(DEPOSITORY));
        token.forceApprove(address(DEPOSITORY), out);
        DEPOSITORY.depositErc20(msg.sender, output, out, orderId);
        deposited = token.balanceOf(address(DEPOSITORY)) - deposited;
        require(deposited == out, NotDeposited(out, deposited));
    }

    function _held(address token) private view returns (uint256) {
        return token == address(0) ? address(this).balance : IERC20(token).balanceOf(address(this));
    }
}

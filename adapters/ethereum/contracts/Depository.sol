// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {Call, CallRequest, CallRequests} from "./CallRequests.sol";

/// @title Depository: where deposits lie until the allocator's signature takes them out
/// @notice Layout of events, functions and hashes: EVM-1, met to the bit; nothing is indexed.
/// An event's amount is what arrived, never what was asked for.
/// SECURITY: whoever holds the allocator's key can move everything in here, and every allowance given to this
/// contract: approve exact amounts only. The owner can replace the allocator, and nothing else.
contract Depository is Ownable2Step, EIP712, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    event RelayNativeDeposit(address from, uint256 amount, bytes32 id);
    event RelayErc20Deposit(address from, address token, uint256 amount, bytes32 id);
    event AllocatorChanged(address allocator);

    error ZeroAddress();
    error NothingDeposited();
    error DepositWithoutId();
    error RequestExpired(uint256 expiration);
    error RequestUsed(bytes32 withdrawalId);
    error NotSignedByAllocator();
    error CallToItself(uint256 index);
    error CallFailed(uint256 index);
    error TooLittleGas(uint256 index);

    /// @notice Gas that a call must have had before its failure is accepted (see {execute}).
    uint256 public constant FAILURE_GAS = 500_000;

    /// @notice Signer of withdrawals: an account, or a contract by EIP-1271.
    address public allocator;

    /// @notice Whether the request with this struct hash was executed. Never goes back to false.
    mapping(bytes32 withdrawalId => bool used) public callRequests;

    bool private transient executing;

    constructor(address owner_, address allocator_) Ownable(owner_) EIP712("RelayDepository", "1") {
        _setAllocator(allocator_);
    }

    /// @notice Change from a call of a running withdrawal (unwrapping, say) is welcome.
    /// Any other plain transfer carries no id, could be credited to nobody, and is refused.
    receive() external payable {
        require(executing, DepositWithoutId());
    }

    /// @param depositor who is credited where `id` is zero; chosen by the caller, so it proves nothing
    /// @param id order id, or zero
    function depositNative(address depositor, bytes32 id) external payable nonReentrant {
        require(depositor != address(0), ZeroAddress());
        require(msg.value > 0, NothingDeposited());
        emit RelayNativeDeposit(depositor, msg.value, id);
    }

    /// @notice Takes `amount` of `token` from the caller; the token's Transfer comes before our event.
    /// @param depositor as in {depositNative}
    /// @param amount smallest units asked of the caller; a token with a fee delivers less, and the event says so
    function depositErc20(address depositor, address token, uint256 amount, bytes32 id) external nonReentrant {
        require(depositor != address(0), ZeroAddress());
        uint256 before = IERC20(token).balanceOf(address(this));
        IERC20(token).safeTransferFrom(msg.sender, address(this), amount);
        uint256 received = IERC20(token).balanceOf(address(this)) - before;
        require(received > 0, NothingDeposited());
        emit RelayErc20Deposit(depositor, token, received, id);
    }

    /// @notice Executes a withdrawal once, in order, strictly before its expiration. Anybody may submit it.
    /// A call that fails reverts everything, unless it has `allowFailure`.
    /// SECURITY: a submitter must not be able to starve such a call of gas and so burn somebody's withdrawal:
    /// its failure counts only when it had at least FAILURE_GAS.
    /// @return succeeded one flag a call
    function execute(
        CallRequest calldata request,
        bytes calldata signature
    ) external nonReentrant returns (bool[] memory succeeded) {
        require(block.timestamp < request.expiration, RequestExpired(request.expiration));
        bytes32 withdrawalId = CallRequests.hash(request);
        require(!callRequests[withdrawalId], RequestUsed(withdrawalId));
        bytes32 digest = _hashTypedDataV4(withdrawalId);
        require(
            SignatureChecker.isValidSignatureNowCalldata(allocator, digest, signature),
            NotSignedByAllocator()
        );
        callRequests[withdrawalId] = true;

        executing = true;
        succeeded = new bool[](request.calls.length);
        for (uint256 i = 0; i < succeeded.length; ++i) {
            succeeded[i] = _call(i, request.calls[i]);
        }
        executing = false;
    }

    /// @notice The withdrawalId of a request: its EIP-712 struct hash.
    function hashCallRequest(CallRequest calldata request) external pure returns (bytes32) {
        return CallRequests.hash(request);
    }

    function setAllocator(address allocator_) external onlyOwner {
        _setAllocator(allocator_);
    }

    /// @dev What a call returns is not copied: its size is the callee's choice and our gas.
    function _call(uint256 index, Call calldata call) private returns (bool success) {
        require(call.to != address(this), CallToItself(index));
        uint256 gasBefore = gasleft();
        success = LowLevelCall.callNoReturn(call.to, call.value, call.data);
        if (!success) {
            require(call.allowFailure, CallFailed(index));
            require(gasBefore >= FAILURE_GAS, TooLittleGas(index));
        }
    }

    function _setAllocator(address allocator_) private {
        require(allocator_ != address(0), ZeroAddress());
        allocator = allocator_;
        emit AllocatorChanged(allocator_);
    }
}

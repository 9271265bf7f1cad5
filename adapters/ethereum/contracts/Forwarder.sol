// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Create2} from "@openzeppelin/contracts/utils/Create2.sol";
import {Depository} from "./Depository.sol";
import {IPulling, Puller} from "./Puller.sol";

/// @notice The part of EIP-3009 that is used: the receiver alone may submit what is signed for it.
interface IReceiveWithAuthorization {
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external;

    /// @notice For signatures of contracts (EIP-1271), in tokens that have it.
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external;
}

/// @notice The part of Permit2 that is used.
interface IPermit2 {
    struct TokenPermissions {
        address token;
        uint256 amount;
    }

    struct PermitTransferFrom {
        TokenPermissions permitted;
        uint256 nonce;
        uint256 deadline;
    }

    struct SignatureTransferDetails {
        address to;
        uint256 requestedAmount;
    }

    function permitWitnessTransferFrom(
        PermitTransferFrom calldata permit,
        SignatureTransferDetails calldata transferDetails,
        address owner,
        bytes32 witness,
        string calldata witnessTypeString,
        bytes calldata signature
    ) external;
}

/// @notice What an owner signed for: all of `amount`, for this order, until `deadline` (seconds, inclusive).
struct Permitted {
    address owner;
    address token;
    uint256 amount;
    bytes32 orderId;
    uint256 deadline;
}

/// @title Forwarder: deposits for those who sign instead of sending (STEP-8, STEP-9)
/// @notice Any account without code may submit what an owner signed, by a transaction that does nothing else. Each way binds the order: EIP-3009 by the nonce, Permit2 by a
/// witness, EIP-2612 by the spender, which is an address of the order's own. What arrives goes into the depository in
/// the same call, with the owner as its depositor and the order as its id.
/// SECURITY: stateless, without owner or role. A Transfer of a real token from here into the depository, with the event
/// that follows it, proves that the event's depositor signed for that order: what a token is, its reader has to know.
/// Only what arrived during the call is deposited, so that a token which does nothing of what it is asked (a fallback
/// that takes every call) deposits nothing, and what somebody left here is nobody's. A contract, or an account that has
/// delegated to one (EIP-7702), could deposit made-up tokens beside it in the same transaction, of which then nothing can
/// be minted on the hub: so neither may call. Nothing that is called from here can therefore call it again.
contract Forwarder is IPulling {
    using SafeERC20 for IERC20;

    error ZeroAddress();
    error NotAnAccount();
    error NothingArrived();
    error NotDeposited(uint256 arrived, uint256 deposited);
    error PermitExpired(uint256 deadline);

    /// @dev The end of the type that Permit2 signs; types stand in the order of the alphabet.
    string private constant WITNESS =
        "Deposit witness)Deposit(bytes32 orderId)TokenPermissions(address token,uint256 amount)";
    bytes32 private constant DEPOSIT_TYPEHASH = keccak256("Deposit(bytes32 orderId)");

    Depository public immutable DEPOSITORY;
    IPermit2 public immutable PERMIT2;

    address private transient pulledToken;
    address private transient pulledOwner;
    uint256 private transient pulledAmount;

    modifier onlyAccounts() {
        require(msg.sender == tx.origin && msg.sender.code.length == 0, NotAnAccount());
        _;
    }

    /// @param permit2 may be an address without code: then that way alone reverts
    constructor(Depository depository, IPermit2 permit2) {
        require(address(depository) != address(0) && address(permit2) != address(0), ZeroAddress());
        DEPOSITORY = depository;
        PERMIT2 = permit2;
    }

    /// @notice EIP-3009: ReceiveWithAuthorization to this contract, validAfter 0, validBefore the deadline, nonce the
    /// order's id. The token checks the signature.
    /// @param signature 65 bytes r, s, v of an account; whatever else is for the token to judge
    function depositWithAuthorization(
        Permitted calldata permitted,
        bytes calldata signature
    ) external onlyAccounts {
        uint256 before = IERC20(permitted.token).balanceOf(address(this));
        IReceiveWithAuthorization token = IReceiveWithAuthorization(permitted.token);
        if (signature.length == 65) {
            token.receiveWithAuthorization(
                permitted.owner,
                address(this),
                permitted.amount,
                0,
                permitted.deadline,
                permitted.orderId,
                uint8(signature[64]),
                bytes32(signature[0:32]),
                bytes32(signature[32:64])
            );
        } else {
            token.receiveWithAuthorization(
                permitted.owner,
                address(this),
                permitted.amount,
                0,
                permitted.deadline,
                permitted.orderId,
                signature
            );
        }
        _deposit(permitted, before);
    }

    /// @notice Permit2: a transfer with a witness, whose nonce is the order's id too. Permit2 checks the signature.
    function depositWithPermit2(
        Permitted calldata permitted,
        bytes calldata signature
    ) external onlyAccounts {
        uint256 before = IERC20(permitted.token).balanceOf(address(this));
        PERMIT2.permitWitnessTransferFrom(
            IPermit2.PermitTransferFrom({
                permitted: IPermit2.TokenPermissions({token: permitted.token, amount: permitted.amount}),
                nonce: uint256(permitted.orderId),
                deadline: permitted.deadline
            }),
            IPermit2.SignatureTransferDetails({to: address(this), requestedAmount: permitted.amount}),
            permitted.owner,
            keccak256(abi.encode(DEPOSIT_TYPEHASH, permitted.orderId)),
            WITNESS,
            signature
        );
        _deposit(permitted, before);
    }

    /// @notice EIP-2612: the permit is for {spenderOf}, and the allowance of that is all that counts. Somebody may
    /// have submitted the permit before: then it fails here, and the allowance is there.
    function depositWithPermit(
        Permitted calldata permitted,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external onlyAccounts {
        uint256 before = IERC20(permitted.token).balanceOf(address(this));
        require(block.timestamp <= permitted.deadline, PermitExpired(permitted.deadline));
        address spender = spenderOf(permitted);
        try
            IERC20Permit(permitted.token).permit(
                permitted.owner,
                spender,
                permitted.amount,
                permitted.deadline,
                v,
                r,
                s
            )
        {} catch {}
        (pulledToken, pulledOwner, pulledAmount) = (permitted.token, permitted.owner, permitted.amount);
        new Puller{salt: keccak256(abi.encode(permitted))}();
        (pulledToken, pulledOwner, pulledAmount) = (address(0), address(0), 0);
        _deposit(permitted, before);
    }

    /// @notice Whom an owner allows the amount, to have it deposited for this order in time, and for nothing else.
    function spenderOf(Permitted calldata permitted) public view returns (address) {
        return Create2.computeAddress(keccak256(abi.encode(permitted)), keccak256(type(Puller).creationCode));
    }

    /// @inheritdoc IPulling
    function pulling() external view returns (address token, address owner, uint256 amount) {
        return (pulledToken, pulledOwner, pulledAmount);
    }

    /// @dev What the event says is what the depository has more of: a token that takes a fee of the way there reverts.
    function _deposit(Permitted calldata permitted, uint256 before) private {
        IERC20 token = IERC20(permitted.token);
        uint256 arrived = token.balanceOf(address(this)) - before;
        require(arrived > 0, NothingArrived());
        uint256 deposited = token.balanceOf(address(DEPOSITORY));
        token.forceApprove(address(DEPOSITORY), arrived);
        DEPOSITORY.depositErc20(permitted.owner, permitted.token, arrived, permitted.orderId);
        deposited = token.balanceOf(address(DEPOSITORY)) - deposited;
        require(deposited == arrived, NotDeposited(arrived, deposited));
    }
}

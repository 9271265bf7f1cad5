// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {Hub} from "./Hub.sol";

/// @title OracleGate: carries out on the hub what enough oracles have signed
/// @notice Anybody may submit an execution; it is carried out once, when at least `threshold` oracles signed exactly its
/// key and actions for this contract on this chain (EXEC-6). One contract serves thresholds of one and of more.
/// SECURITY: signatures are 65 bytes with s in the lower half, sorted by signer, so that one oracle counts once. The key
/// is marked before the hub is called. An action has one encoding; other lengths and types are refused.
contract OracleGate is EIP712, Ownable2Step {
    struct Execution {
        bytes32 idempotencyKey;
        bytes[] actions;
    }

    event Executed(bytes32 indexed idempotencyKey);
    event OracleChanged(address oracle, bool allowed);
    event ThresholdChanged(uint256 threshold);

    error AlreadyExecuted();
    error NotEnoughSigners();
    error UnsortedSigners();
    error NotAnOracle(address signer);
    error MalformedAction(uint256 index);
    error ImpossibleThreshold(uint256 threshold, uint256 oracles);

    bytes32 private constant EXECUTION = keccak256("Execution(bytes32 idempotencyKey,bytes[] actions)");

    uint256 private constant MINT = 0;
    // 1 burns: what is neither of the others and not beyond them.
    uint256 private constant TRANSFER = 2;

    Hub public immutable HUB;

    uint256 public threshold;
    uint256 public oracleCount;

    mapping(address account => bool allowed) public isOracle;
    mapping(bytes32 idempotencyKey => bool executed) public isExecuted;

    /// @param name_ and @param version_ of the EIP-712 domain, which oracles have in their configuration
    constructor(
        Hub hub,
        address owner_,
        string memory name_,
        string memory version_,
        address[] memory oracles,
        uint256 threshold_
    ) EIP712(name_, version_) Ownable(owner_) {
        HUB = hub;
        for (uint256 i = 0; i < oracles.length; ++i) {
            _setOracle(oracles[i], true);
        }
        _setThreshold(threshold_);
    }

    /// @param signatures of the execution's EIP-712 digest, in ascending order of their signers
    function execute(Execution calldata execution, bytes[] calldata signatures) external {
        bytes32 key = execution.idempotencyKey;
        require(!isExecuted[key], AlreadyExecuted());
        _checkSignatures(_digestOf(execution), signatures);
        isExecuted[key] = true;
        for (uint256 i = 0; i < execution.actions.length; ++i) {
            _act(i, execution.actions[i]);
        }
        emit Executed(key);
    }

    /// @notice Takes effect for every execution that is not carried out yet. The threshold cannot be left unreachable.
    function setOracle(address oracle, bool allowed) external onlyOwner {
        _setOracle(oracle, allowed);
        _setThreshold(threshold);
    }

    function setThreshold(uint256 threshold_) external onlyOwner {
        _setThreshold(threshold_);
    }

    function _checkSignatures(bytes32 digest, bytes[] calldata signatures) private view {
        require(signatures.length >= threshold, NotEnoughSigners());
        address last = address(0);
        for (uint256 i = 0; i < signatures.length; ++i) {
            (address signer, , ) = ECDSA.tryRecover(digest, signatures[i]);
            require(isOracle[signer], NotAnOracle(signer));
            require(signer > last, UnsortedSigners());
            last = signer;
        }
    }

    function _digestOf(Execution calldata execution) private view returns (bytes32) {
        bytes32[] memory hashes = new bytes32[](execution.actions.length);
        for (uint256 i = 0; i < hashes.length; ++i) {
            hashes[i] = keccak256(execution.actions[i]);
        }
        return
            _hashTypedDataV4(
                keccak256(abi.encode(EXECUTION, execution.idempotencyKey, keccak256(abi.encodePacked(hashes))))
            );
    }

    function _act(uint256 index, bytes calldata action) private {
        require(action.length >= 32, MalformedAction(index));
        uint256 kind = uint256(bytes32(action[:32]));
        require(kind <= TRANSFER && action.length == (kind == TRANSFER ? 160 : 128), MalformedAction(index));
        if (kind == TRANSFER) {
            (, address from, address to, uint256 moved, uint256 units) = abi.decode(
                action,
                (uint8, address, address, uint256, uint256)
            );
            HUB.transferFrom(from, to, moved, units);
            return;
        }
        (, address account, uint256 id, uint256 amount) = abi.decode(action, (uint8, address, uint256, uint256));
        if (kind == MINT) HUB.mint(account, id, amount);
        else HUB.burn(account, id, amount);
    }

    /// @dev The zero address is what a signature recovers to that is none.
    function _setOracle(address oracle, bool allowed) private {
        require(oracle != address(0), NotAnOracle(oracle));
        if (isOracle[oracle] == allowed) return;
        isOracle[oracle] = allowed;
        oracleCount = allowed ? oracleCount + 1 : oracleCount - 1;
        emit OracleChanged(oracle, allowed);
    }

    function _setThreshold(uint256 threshold_) private {
        require(threshold_ > 0 && threshold_ <= oracleCount, ImpossibleThreshold(threshold_, oracleCount));
        threshold = threshold_;
        emit ThresholdChanged(threshold_);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {Hub} from "../Hub.sol";

/// @title A gate of the other kind, for tests: one oracle for each execution, by role, an account or a contract (EXEC-7)
contract RoleGate is EIP712, AccessControl {
    struct Execution {
        bytes32 idempotencyKey;
        bytes[] actions;
    }

    event Executed(bytes32 idempotencyKey, bytes[] actions);

    error AlreadyExecuted(bytes32 idempotencyKey);
    error UnauthorizedOracle(address oracle);
    error InvalidSignature(address oracle);

    bytes32 public constant ORACLE_ROLE = keccak256("ORACLE_ROLE");
    bytes32 private constant EXECUTION = keccak256("Execution(bytes32 idempotencyKey,bytes[] actions)");

    Hub public immutable HUB;

    mapping(bytes32 idempotencyKey => bool executed) public isExecuted;

    constructor(Hub hub, address admin, string memory name_, string memory version_) EIP712(name_, version_) {
        HUB = hub;
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
    }

    function execute(Execution calldata execution, address oracle, bytes calldata signature) external {
        bytes32 key = execution.idempotencyKey;
        if (isExecuted[key]) revert AlreadyExecuted(key);
        if (!hasRole(ORACLE_ROLE, oracle)) revert UnauthorizedOracle(oracle);
        bytes32[] memory hashes = new bytes32[](execution.actions.length);
        for (uint256 i = 0; i < hashes.length; ++i) {
            hashes[i] = keccak256(execution.actions[i]);
        }
        bytes32 digest = _hashTypedDataV4(keccak256(abi.encode(EXECUTION, key, keccak256(abi.encodePacked(hashes)))));
        if (!SignatureChecker.isValidSignatureNow(oracle, digest, signature)) revert InvalidSignature(oracle);
        isExecuted[key] = true;
        for (uint256 i = 0; i < execution.actions.length; ++i) {
            _act(execution.actions[i]);
        }
        emit Executed(key, execution.actions);
    }

    function _act(bytes calldata action) private {
        uint8 kind = abi.decode(action, (uint8));
        if (kind == 2) {
            (, address from, address to, uint256 moved, uint256 units) = abi.decode(
                action,
                (uint8, address, address, uint256, uint256)
            );
            HUB.transferFrom(from, to, moved, units);
            return;
        }
        (, address account, uint256 id, uint256 amount) = abi.decode(action, (uint8, address, uint256, uint256));
        if (kind == 0) HUB.mint(account, id, amount);
        else HUB.burn(account, id, amount);
    }
}

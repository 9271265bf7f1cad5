// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @title An oracle of a RoleGate that is several, for tests: the first `threshold` signatures, ascending by signer, count
contract MultisigOracle is IERC1271 {
    uint256 public immutable threshold;
    mapping(address account => bool allowed) public isSigner;

    constructor(address[] memory signers, uint256 threshold_) {
        threshold = threshold_;
        for (uint256 i = 0; i < signers.length; ++i) {
            isSigner[signers[i]] = true;
        }
    }

    function isValidSignature(bytes32 hash, bytes calldata signatures) external view returns (bytes4) {
        if (signatures.length % 65 != 0 || signatures.length < threshold * 65) return bytes4(0);
        address last = address(0);
        for (uint256 i = 0; i < threshold; ++i) {
            (address signer, , ) = ECDSA.tryRecover(hash, signatures[i * 65:(i + 1) * 65]);
            if (signer <= last || !isSigner[signer]) return bytes4(0);
            last = signer;
        }
        return IERC1271.isValidSignature.selector;
    }
}

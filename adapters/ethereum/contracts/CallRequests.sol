// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @notice One call that the depository makes: a payment out, native or by a token's transfer.
struct Call {
    address to;
    bytes data;
    uint256 value;
    bool allowFailure;
}

/// @notice A withdrawal as the allocator signs it. `expiration` is in Unix seconds.
struct CallRequest {
    Call[] calls;
    uint256 nonce;
    uint256 expiration;
}

/// @title The EIP-712 struct hash of a CallRequest
/// @notice It is the withdrawalId of the settlement protocol (EVM-6): the same on every chain and for every
/// depository. It is not what is signed: the signature covers it together with the depository's domain.
library CallRequests {
    bytes32 internal constant CALL_TYPEHASH =
        keccak256("Call(address to,bytes data,uint256 value,bool allowFailure)");

    bytes32 internal constant CALL_REQUEST_TYPEHASH =
        keccak256(
            "CallRequest(Call[] calls,uint256 nonce,uint256 expiration)"
            "Call(address to,bytes data,uint256 value,bool allowFailure)"
        );

    function hash(CallRequest calldata request) internal pure returns (bytes32) {
        bytes32[] memory calls = new bytes32[](request.calls.length);
        for (uint256 i = 0; i < calls.length; ++i) {
            calls[i] = hashCall(request.calls[i]);
        }
        return
            keccak256(
                abi.encode(
                    CALL_REQUEST_TYPEHASH,
                    keccak256(abi.encodePacked(calls)),
                    request.nonce,
                    request.expiration
                )
            );
    }

    function hashCall(Call calldata call) private pure returns (bytes32) {
        return keccak256(abi.encode(CALL_TYPEHASH, call.to, keccak256(call.data), call.value, call.allowFailure));
    }
}

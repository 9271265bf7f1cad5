// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title An attacker for tests: does what it was told, when native currency arrives or when it is asked to play
/// @notice Plays each script once. Failures are remembered and swallowed, or passed on when it is `strict`.
contract Puppet {
    struct Act {
        address to;
        uint256 value;
        bytes data;
    }

    Act[] private script;
    bool public strict;
    uint256 public succeeded;
    uint256 public failed;

    /// @notice What the last failed act returned: an error's selector, mostly.
    bytes public lastFailure;

    receive() external payable {
        play();
    }

    function teach(Act[] calldata acts, bool strict_) external {
        delete script;
        for (uint256 i = 0; i < acts.length; ++i) {
            script.push(acts[i]);
        }
        strict = strict_;
        succeeded = 0;
        failed = 0;
        delete lastFailure;
    }

    function play() public payable {
        Act[] memory acts = script;
        delete script;
        for (uint256 i = 0; i < acts.length; ++i) {
            (bool ok, bytes memory answer) = acts[i].to.call{value: acts[i].value}(acts[i].data);
            if (ok) {
                ++succeeded;
            } else {
                require(!strict, string(answer));
                ++failed;
                lastFailure = answer;
            }
        }
    }
}

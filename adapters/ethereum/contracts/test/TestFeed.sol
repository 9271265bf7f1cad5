// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title A price feed with the interface of Chainlink's aggregators, for local networks
/// @notice Anybody may set the answer and its age. Left alone, the answer is as old as the block: nothing on a local
/// network would publish rounds.
contract TestFeed {
    uint8 public immutable decimals;
    string public description;
    int256 public answer;
    /// @notice Seconds by which the last round is older than the block.
    uint256 public age;
    uint80 public roundId = 1;

    constructor(string memory description_, uint8 decimals_, int256 answer_) {
        description = description_;
        decimals = decimals_;
        answer = answer_;
    }

    function setAnswer(int256 answer_) external {
        answer = answer_;
        ++roundId;
    }

    function setAge(uint256 age_) external {
        age = age_;
    }

    function latestRoundData()
        external
        view
        returns (uint80 round, int256 value, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)
    {
        uint256 published = block.timestamp - age;
        return (roundId, answer, published, published, roundId);
    }
}

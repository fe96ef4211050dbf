// CRC-32 as zlib and PNG have it: the same number from the same text in every language.
#pragma once

#include <cstdint>
#include <string_view>

namespace knockbox {

inline std::uint32_t crc32(std::string_view text) {
    std::uint32_t sum = ~0U;
    for (unsigned char byte : text) {
        sum ^= byte;
        for (int bits = 0; bits < 8; ++bits) {
            // The polynomial, lowest bit first, wherever a one is shifted out.
            sum = sum >> 1 ^ ((sum & 1U) != 0 ? 0xEDB88320U : 0U);
        }
    }
    return ~sum;
}

}  // namespace knockbox

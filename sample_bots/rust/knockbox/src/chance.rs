//! CRC-32 as zlib and PNG have it: the same number from the same text in every language.

/// The checksum of some bytes.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            // The polynomial, lowest bit first, wherever a one is shifted out.
            sum = sum >> 1 ^ (0xEDB8_8320 & (sum & 1).wrapping_neg());
        }
    }
    !sum
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_check_value_of_the_standard_comes_out() {
        assert_eq!(super::crc32(b"123456789"), 0xCBF4_3926);
    }
}

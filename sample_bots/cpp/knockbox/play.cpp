// The only file that knows gRPC. Time is used to wait for a referee that is not there yet, and the
// system's chance for the nonce of the shuffle.
#include "play.hpp"

#include <grpcpp/grpcpp.h>

#include <array>
#include <chrono>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>

#include "stubs/knockbox/v1/play.grpc.pb.h"

namespace knockbox {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr const char* SDK = "knockbox-cpp/1";
constexpr std::uint32_t PROTOCOL = 1;
constexpr auto START = 10s;
constexpr int RECONNECTIONS = 20;
constexpr std::array<const char*, 17> CODES = {
    "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
    "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED",
    "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED"};

bool lost(const grpc::Status& status) {
    switch (status.error_code()) {
        case grpc::StatusCode::UNAVAILABLE:
        case grpc::StatusCode::UNKNOWN:
        case grpc::StatusCode::INTERNAL:
        case grpc::StatusCode::CANCELLED: return true;
        default: return false;
    }
}

std::string told(const grpc::Status& status) {
    return std::string("knockbox: ") + CODES.at(static_cast<std::size_t>(status.error_code())) +
           ": " + status.error_message();
}

std::string nonce() {
    std::random_device chance;
    std::string bytes;
    while (bytes.size() < 16) bytes += static_cast<char>(chance());
    return bytes;
}

std::shared_ptr<grpc::Channel> channel(const std::string& address) {
    grpc::ChannelArguments arguments;
    arguments.SetString(GRPC_ARG_DEFAULT_AUTHORITY, "localhost");
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
}

// One connection, to its end.
grpc::Status connection(Leg& leg, const std::string& address, const std::string& ticket) {
    const auto stub = v1::PlayService::NewStub(channel(address));
    grpc::ClientContext context;
    const auto stream = stub->Play(&context);
    v1::PlayRequest join;
    join.mutable_join()->set_ticket(ticket);
    join.mutable_join()->set_sdk(SDK);
    join.mutable_join()->set_protocol(PROTOCOL);
    // Where writing fails the referee has gone; reading tells why.
    stream->Write(join);
    v1::PlayResponse message;
    while (stream->Read(&message)) {
        if (const auto say = leg.answer(message, nonce())) {
            stream->Write(*say);
        } else {
            stream->WritesDone();
        }
    }
    return stream->Finish();
}

}  // namespace

void play(Leg& leg, const std::string& address, const std::string& ticket) {
    const auto deadline = Clock::now() + START;
    for (int losses = 0; !leg.over();) {
        const grpc::Status status = connection(leg, address, ticket);
        if (leg.over()) return;
        if (status.ok()) {
            throw std::runtime_error("knockbox: the referee ended the leg without a result");
        }
        if (leg.started()) ++losses;
        const bool late = leg.started() ? losses > RECONNECTIONS : Clock::now() > deadline;
        if (late || !lost(status)) throw std::runtime_error(told(status));
        std::this_thread::sleep_for(leg.started() ? 100ms : 50ms);
    }
}

}  // namespace knockbox

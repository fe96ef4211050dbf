//! Plays a leg over the wire: connects, and comes again where the connection is lost. The only
//! module that knows gRPC.
//!
//! Time is used to wait for a referee that is not there yet, and the system's chance for the nonce
//! of the shuffle.

use std::fs::File;
use std::io::Read;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::transport::{Channel, Endpoint, Uri};
use tonic::{Code, Status};

use crate::leg::Leg;
use crate::stubs::play_request::Message as Say;
use crate::stubs::play_service_client::PlayServiceClient;
use crate::stubs::{Join, PlayRequest};

const SDK: &str = "knockbox-rust/1";
const PROTOCOL: u32 = 1;
const START: Duration = Duration::from_secs(10);
const RECONNECTIONS: u32 = 20;
const LOST: [Code; 4] = [Code::Unavailable, Code::Unknown, Code::Internal, Code::Cancelled];

/// Play a leg to its end; what to say where there is none.
pub(crate) fn leg(leg: Leg, address: &str, ticket: &str) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("knockbox: {error}"))?;
    runtime.block_on(play(leg, address, ticket))
}

async fn play(mut leg: Leg, address: &str, ticket: &str) -> Result<(), String> {
    let deadline = Instant::now() + START;
    let mut lost = 0;
    loop {
        let status = match connection(&mut leg, address, ticket).await {
            _ if leg.over => return Ok(()),
            Ok(()) => return Err("knockbox: the referee ended the leg without a result".into()),
            Err(Broken::Bot(text)) => return Err(text),
            Err(Broken::Wire(status)) => status,
        };
        lost += u32::from(leg.started());
        let late = if leg.started() { lost > RECONNECTIONS } else { Instant::now() > deadline };
        if late || !LOST.contains(&status.code()) {
            return Err(format!("knockbox: {:?}: {}", status.code(), status.message()));
        }
        tokio::time::sleep(Duration::from_millis(if leg.started() { 100 } else { 50 })).await;
    }
}

/// Why a connection ended before the leg did.
enum Broken {
    /// The wire, or the referee.
    Wire(Status),
    /// The bot itself; its words.
    Bot(String),
}

impl From<Status> for Broken {
    fn from(status: Status) -> Self {
        Broken::Wire(status)
    }
}

/// One connection, to its end.
async fn connection(leg: &mut Leg, address: &str, ticket: &str) -> Result<(), Broken> {
    let (outbox, requests) = mpsc::unbounded_channel();
    let mut outbox = Outbox(Some(outbox));
    // Join is on its way before the call is made: the call answers when Join is answered.
    outbox.send(Some(Say::Join(Join {
        ticket: ticket.to_string(),
        sdk: SDK.to_string(),
        protocol: PROTOCOL,
    })));
    let mut client = PlayServiceClient::new(channel(address)?);
    let mut responses = client.play(UnboundedReceiverStream::new(requests)).await?.into_inner();
    while let Some(response) = responses.message().await? {
        if let Some(message) = response.message {
            outbox.send(leg.answer(message, nonce).map_err(Broken::Bot)?);
        }
    }
    Ok(())
}

/// This end of the stream; None when it is closed.
struct Outbox(Option<mpsc::UnboundedSender<PlayRequest>>);

impl Outbox {
    /// Say something, or close this end where there is nothing more to say.
    fn send(&mut self, say: Option<Say>) {
        match (&self.0, say) {
            // Where the referee has gone, reading tells why.
            (Some(open), Some(say)) => drop(open.send(PlayRequest { message: Some(say) })),
            _ => self.0 = None,
        }
    }
}

fn channel(address: &str) -> Result<Channel, Status> {
    let host = address.strip_prefix("dns:///").map(|name| format!("http://{name}"));
    let a_socket = host.is_none();
    let endpoint = Endpoint::from_shared(host.unwrap_or(address.to_string()))
        .map_err(|error| Status::invalid_argument(format!("{address}: {error}")))?;
    // A socket's path is no name of a host.
    let named =
        if a_socket { endpoint.origin(Uri::from_static("http://localhost")) } else { endpoint };
    Ok(named.connect_lazy())
}

fn nonce() -> Vec<u8> {
    let mut bytes = [0; 16];
    let read = File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes));
    // Without it the other seats' nonces still take part in the shuffle.
    read.map_or(Vec::new(), |()| bytes.to_vec())
}

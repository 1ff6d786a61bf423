// Command server answers the REST methods of Pub/Sub that tests call, by the fake server of Google's client library.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"io"
	"log"
	"net/http"
	"strings"

	pb "cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"cloud.google.com/go/pubsub/v2/pstest"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// HTTP statuses of Google's interfaces, by the code of gRPC.
var statuses = map[codes.Code]int{
	codes.InvalidArgument:   400,
	codes.FailedPrecondition: 400,
	codes.OutOfRange:        400,
	codes.Unauthenticated:   401,
	codes.PermissionDenied:  403,
	codes.NotFound:          404,
	codes.AlreadyExists:     409,
	codes.ResourceExhausted: 429,
	codes.Unavailable:       503,
}

// A request may be as large as Google accepts.
const maxBytes = 10_000_000

type front struct {
	server *pstest.Server
}

func (f front) ServeHTTP(reply http.ResponseWriter, request *http.Request) {
	if request.URL.Path == "/" {
		return
	}
	answer, err := f.answer(request)
	reply.Header().Set("content-type", "application/json")
	if err == nil {
		text, _ := protojson.Marshal(answer)
		reply.Write(text)
		return
	}
	problem := status.Convert(err)
	code, known := statuses[problem.Code()]
	if !known {
		code = 500
	}
	reply.WriteHeader(code)
	json.NewEncoder(reply).Encode(map[string]any{"error": map[string]any{"code": code, "message": problem.Message()}})
}

func (f front) answer(request *http.Request) (proto.Message, error) {
	body, err := io.ReadAll(io.LimitReader(request.Body, maxBytes+1))
	if err != nil || len(body) > maxBytes {
		return nil, status.Error(codes.InvalidArgument, "the request is too large")
	}
	if request.Header.Get("authorization") == "" {
		return nil, status.Error(codes.Unauthenticated, "the request has no credentials")
	}
	name, method, _ := strings.Cut(strings.TrimPrefix(request.URL.Path, "/v1/"), ":")
	read := func(into proto.Message) error {
		if err := protojson.Unmarshal(body, into); err != nil {
			return status.Error(codes.InvalidArgument, err.Error())
		}
		return nil
	}
	ctx, server := context.Background(), &f.server.GServer
	switch {
	case request.Method == "PUT" && strings.Contains(name, "/topics/"):
		return server.CreateTopic(ctx, &pb.Topic{Name: name})
	case request.Method == "PUT" && strings.Contains(name, "/subscriptions/"):
		subscription := &pb.Subscription{}
		if err := read(subscription); err != nil {
			return nil, err
		}
		subscription.Name = name
		return server.CreateSubscription(ctx, subscription)
	case request.Method == "POST" && method == "publish":
		published := &pb.PublishRequest{}
		if err := read(published); err != nil {
			return nil, err
		}
		published.Topic = name
		return server.Publish(ctx, published)
	case request.Method == "POST" && method == "pull":
		pulled := &pb.PullRequest{}
		if err := read(pulled); err != nil {
			return nil, err
		}
		pulled.Subscription = name
		return server.Pull(ctx, pulled)
	}
	return nil, status.Error(codes.NotFound, "there is no such method")
}

func main() {
	address := flag.String("address", "127.0.0.1:0", "address to listen at")
	flag.Parse()
	log.Fatal(http.ListenAndServe(*address, front{pstest.NewServer()}))
}

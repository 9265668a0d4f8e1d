// Command tlog-reader reads a whole log by the tiles of C2SP tlog-tiles, with the unmodified packages of
// Go's own transparency logs: the signature by note, and every hash by tlog.TileHashReader.
//
//	tlog-reader BASE VKEY [OLDER]
//	tlog-reader proof FILE VKEY
//	tlog-reader cosignature FILE VKEY WITNESS
//
// BASE is the address or the folder of the log. With OLDER, the file of an earlier checkpoint, it also
// proves that the log extends that one. The variable KEY has the API key, if the log needs one.
// It prints the size of the log and the number of records that it has checked. The second form checks a
// C2SP tlog-proof of the record in its extra data, and prints that record. The third form checks the
// cosignature of a checkpoint by the public key of a witness, and prints its time in Unix seconds.
package main

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const tileHeight = 8

type reader struct{ base string }

func (r reader) Height() int                     { return tileHeight }
func (r reader) SaveTiles([]tlog.Tile, [][]byte) {}

func (r reader) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var all [][]byte
	for _, tile := range tiles {
		path := strings.TrimPrefix(tile.Path(), "tile/8/")
		data, err := r.read("tile/" + path)
		if err != nil {
			return nil, err
		}
		all = append(all, data)
	}
	return all, nil
}

func (r reader) read(path string) ([]byte, error) {
	if !strings.HasPrefix(r.base, "http://") {
		return os.ReadFile(r.base + "/" + path)
	}
	request, err := http.NewRequest("GET", r.base+"/"+path, nil)
	if err != nil {
		return nil, err
	}
	if key := os.Getenv("KEY"); key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != 200 {
		return nil, fmt.Errorf("%s: %s", path, response.Status)
	}
	return io.ReadAll(response.Body)
}

func treeIn(signed []byte, vkey string) (tlog.Tree, error) {
	verifier, err := note.NewVerifier(vkey)
	if err != nil {
		return tlog.Tree{}, err
	}
	opened, err := note.Open(signed, note.VerifierList(verifier))
	if err != nil {
		return tlog.Tree{}, err
	}
	lines := strings.Split(opened.Text, "\n")
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil {
		return tlog.Tree{}, err
	}
	root, err := base64.StdEncoding.DecodeString(lines[2])
	if err != nil {
		return tlog.Tree{}, err
	}
	tree := tlog.Tree{N: size}
	copy(tree.Hash[:], root)
	return tree, nil
}

// records returns the records of one bundle, and fails for bytes that are left over.
func records(bundle []byte) ([][]byte, error) {
	var all [][]byte
	for len(bundle) > 0 {
		if len(bundle) < 2 || len(bundle) < 2+int(binary.BigEndian.Uint16(bundle)) {
			return nil, fmt.Errorf("a bundle is cut off")
		}
		length := int(binary.BigEndian.Uint16(bundle))
		all = append(all, bundle[2:2+length])
		bundle = bundle[2+length:]
	}
	return all, nil
}

func check(base, vkey, older string) error {
	log := reader{base}
	signed, err := log.read("checkpoint")
	if err != nil {
		return err
	}
	tree, err := treeIn(signed, vkey)
	if err != nil {
		return err
	}
	hashes := tlog.TileHashReader(tree, log)
	checked := int64(0)
	for first := int64(0); first < tree.N; first += 1 << tileHeight {
		width := tree.N - first
		if width > 1<<tileHeight {
			width = 1 << tileHeight
		}
		tile := tlog.Tile{H: tileHeight, L: 0, N: first >> tileHeight, W: int(width)}
		path := strings.TrimPrefix(tile.Path(), "tile/8/0/")
		bundle, err := log.read("tile/entries/" + path)
		if err != nil {
			return err
		}
		all, err := records(bundle)
		if err != nil {
			return err
		}
		if int64(len(all)) != width {
			return fmt.Errorf("%d records where %d are due", len(all), width)
		}
		var indexes []int64
		for index := range all {
			indexes = append(indexes, tlog.StoredHashIndex(0, first+int64(index)))
		}
		due, err := hashes.ReadHashes(indexes)
		if err != nil {
			return err
		}
		for index, record := range all {
			if tlog.RecordHash(record) != due[index] {
				return fmt.Errorf("record %d is not what was signed", first+int64(index))
			}
			checked++
		}
	}
	if older != "" {
		signed, err := os.ReadFile(older)
		if err != nil {
			return err
		}
		before, err := treeIn(signed, vkey)
		if err != nil {
			return err
		}
		proof, err := tlog.ProveTree(tree.N, before.N, hashes)
		if err != nil {
			return err
		}
		if err := tlog.CheckTree(proof, tree.N, tree.Hash, before.N, before.Hash); err != nil {
			return err
		}
	}
	fmt.Println(tree.N, checked)
	return nil
}

// checkProof checks a receipt in the form of C2SP tlog-proof, and returns its record.
func checkProof(file, vkey string) ([]byte, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	head, signed, found := strings.Cut(string(text), "\n\n")
	lines := strings.Split(head, "\n")
	if !found || len(lines) < 3 || lines[0] != "c2sp.org/tlog-proof@v1" {
		return nil, fmt.Errorf("this is no proof")
	}
	record, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(lines[1], "extra "))
	if err != nil {
		return nil, err
	}
	index, err := strconv.ParseInt(strings.TrimPrefix(lines[2], "index "), 10, 64)
	if err != nil {
		return nil, err
	}
	var proof tlog.RecordProof
	for _, line := range lines[3:] {
		hash, err := tlog.ParseHash(line)
		if err != nil {
			return nil, err
		}
		proof = append(proof, hash)
	}
	tree, err := treeIn([]byte(signed), vkey)
	if err != nil {
		return nil, err
	}
	return record, tlog.CheckRecord(proof, tree.N, tree.Hash, index, tlog.RecordHash(record))
}

// witness verifies cosignatures as C2SP tlog-cosignature defines them. Go's note has a type for the
// signatures of logs only, and takes others by its interface.
type witness struct {
	name string
	id   uint32
	key  ed25519.PublicKey
	time uint64
}

const cosignatureType = 4

func newWitness(vkey string) (*witness, error) {
	name, rest, _ := strings.Cut(vkey, "+")
	id, text, _ := strings.Cut(rest, "+")
	key, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, err
	}
	hash := sha256.Sum256(append([]byte(name+"\n"), key...))
	if len(key) != 1+ed25519.PublicKeySize || key[0] != cosignatureType || hex.EncodeToString(hash[:4]) != id {
		return nil, fmt.Errorf("this is no key of a witness")
	}
	return &witness{name: name, id: binary.BigEndian.Uint32(hash[:4]), key: key[1:]}, nil
}

func (w *witness) Name() string    { return w.name }
func (w *witness) KeyHash() uint32 { return w.id }

func (w *witness) Verify(text, signature []byte) bool {
	if len(signature) != 8+ed25519.SignatureSize {
		return false
	}
	w.time = binary.BigEndian.Uint64(signature)
	message := fmt.Sprintf("cosignature/v1\ntime %d\n%s", w.time, text)
	return ed25519.Verify(w.key, []byte(message), signature[8:])
}

// checkCosignature returns the time at which a witness has cosigned a checkpoint of a log.
func checkCosignature(file, vkey, witnessKey string) (uint64, error) {
	signed, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	log, err := note.NewVerifier(vkey)
	if err != nil {
		return 0, err
	}
	cosigner, err := newWitness(witnessKey)
	if err != nil {
		return 0, err
	}
	opened, err := note.Open(signed, note.VerifierList(log, cosigner))
	if err != nil {
		return 0, err
	}
	if len(opened.Sigs) != 2 {
		return 0, fmt.Errorf("%d signatures where 2 are due", len(opened.Sigs))
	}
	return cosigner.time, nil
}

func main() {
	if os.Args[1] == "cosignature" {
		time, err := checkCosignature(os.Args[2], os.Args[3], os.Args[4])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(time)
		return
	}
	if os.Args[1] == "proof" {
		record, err := checkProof(os.Args[2], os.Args[3])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(string(record))
		return
	}
	older := ""
	if len(os.Args) > 3 {
		older = os.Args[3]
	}
	if err := check(os.Args[1], os.Args[2], older); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
